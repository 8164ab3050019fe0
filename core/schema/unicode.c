/* Classes of characters in patterns: \p{...}. */
#include "pattern.h"

/* Runs of characters of one category, from U+0000 on, in Unicode 14: the category's place in
 * `categories` and the length, both in base 32: digits `0` to `V`, and a last one of `ends`. Place
 * PAIRS: pairs of an Lu and an Ll. ISO C limits a string's length. */
static const char ends[] = "abcdefghijklmnopqrstuvwxyz()*+-/";
static const char *const runs[] = {
    "j1aibgdhbgghbgeekgchdgca(gdhbgbhbb(gbhbgbhbj1bibgbhfgbhccbgbhbjbhefchbbbgchbfbcbgbfdgbaxhbahby"
    "hbbik)abbckhabbckxacbbabbbabbdacbbabbbacbbadbcaebbacbbadbdacbbacbbkcacbbabbcabbbacbbadbbabbbac"
    "bccbabbdceabcbbbabcbbbabcbbbkhabbckiabbcabcbbbabbbadbbk*abbhacbbacbcabbbaebbkdabb2fcbb)cshecmh"
    "ocfhhcbhbcbhrd3qkccbhbabbbjccbbdgbabjehcabgbadjbabjbacbbarjbajb1dabbcadbdklabbfabbbhbabbbacbca"
    "1tb1qkrhbdhk)acbbkfabbck1qjba1gjccbggb1jgcjchdjbd1ngbdbgbdcgbdcgbdbjic)jecegcjrhdgchbgchcdlgbj"
    "bgdc1ldvekgeccdbc3dgbcbdhjbhbdgccdchbdeccekcdhccbgojccbdbc-d)jcc2zdlcbjoekc1bdjcchbgdcbjcdbhcc"
    "wdecbdjcbddcbdfjcgpjbczddjcgbjbcljfcyhbcgjjdic1kdyjbd1bc1wddcbdscbdhckdcgcekgbcqddjbcijcccjccw"
    "jbchjbcbjdcejcdbcbdhjcdcjcddcbjidbjeccjbcddcjcekcchcfghccbgbdbjcddjbcgjeccjccwjbchjbccjbccjbcc"
    "jcdbjbdfjedcjcddjddbjhcejbcbjhekdccddbgbjkddjbcjjbcdjbcwjbchjbccjbcfjcdbcbdijbddjbddjccbjpccdc"
    "jcekgbhbjhcbdgjbddjbcijcccjccwjbchjbccjbcfjcdbcbdhjcdcjcddjhddjeccjbcddcjcekhbcbfgjkdbcbjbcgjd"
    "cdjbcejdccjbcbjbccjdccjdcdjdcmjedfjdddjbdejccbjgdbjoekfdhijfdfcijbcdjbcxjbcqjcdbcbdhjbddjbdejh"
    "dcjbcdjccbjcccdcjcekjhgbfhhbcbddgbcijbcdjbcxjbckjbcfjcdbcbdhjbddjbdejhdcjgccjbccdcjcekjbccjnde"
    "cjjbcdjbc1jdccbdhjbddjbdecbhbjecddbfhcddcjcekfjhbcgjbddjbcsjdcyjbcjjbcbjcchjddbjedgjbdbjbdijge"
    "kjcdcgbjmc1qdbccdhjehbchdigbekgcj1fccjbcbjbcfjbcyjbcbjbckdbccdjcbjccfjbcbjbdgjcekjccej1acbhdgp"
    "hbgbhddchgekfkhbdbhbdbhbdbgedccijbc1ejedugbdccfdljbd1ejbhidbhgjbhcgfhegcj1fc1lducbekggcgdecedd"
    "cbddccdhcddecndmcbdbekdehca1gjbabjfabjcb1lgbcbbdcAjjbcejcchjbcbjbcejcc1jjbcejcc1bjbcejcchjbcbj"
    "bcejccpjbc1zjbcejcc2djcddgjfujdcqhkjga2wjcbgjcgbcJmhbgbcribc(gcjdc2lgdfdcijhcsdejjctddgcjjcsdc"
    "jmcnjbcdjbdcjmc1ud1agdcbgdhbcbdbjcekjgfkjgglddjbdbekjgc2zjhcfdcc1cdbcbjfc2gjkc/jbdmjedmjehbjdg"
    "cekc-jccfjlc1mjec(jgekfbjdh1ccxdfjcgcc1vdkjbd+jcdbekjgekjgghcbggjcd/j1rdfc1pdrcijdekghhkdjhjgc"
    "jbddc-dnccekc1mdojigec1edujdgfekjdcdekc1egcbjjha1ljcadgijiddgbdvcedbcgdbccddcbjfb1mc1/bncbb1cc"
    "1fd2ak2kabbjk1qabbjaibgjcagjcbiaibiaibgjcagjcbijbabjbabjbabjbabbiaibojcbicibicibicibfjbbcaecbh"
    "bbbhdbdjbbcaecbhdbejcbcaejbhdbiafhdjcbdjbbcaecbhcjbiljfgyicjfibguhbgnhbgmibjqfbcbjcfghdgccbfkh"
    "dgcjbcnjdh1bjpd1bjphcabheabhcbbadbcadbbhbabhdafhgabhbabhbabhbaehbbbaebbcebbhcbcachfabbehebbhbf"
    "1tabbbffhcjehBygeh+gch7*jzhljvf1*h2ofwhJigof-h1rgch/gkhCtgwh1/geh1agchBwjch1ajbh3ja1qb1qabbbad"
    "bckdaebbabbcabbgccadbbk1qabbchgkcddabbbjfgefbgcb1gjbbbjfbbjcc1yjhcbgbjodbcxjjchjbchjbchjbchjbc"
    "hjbchjbchjbchjbd1ag1pcbg1ahcgmj1ch(jbh2zjmh6wj(hmjeibgdhbccfbgkhcgmhbfjdggbcfhcfdccgbhcjbc2wjc"
    "dchccdgbc2(gbcejfc1ljbc2-jbhcfehkc1ah1ejmcqh/jbfkh-fihbfph1afkh1hfphAac6Eah2acLKnjdh1xjjc1ogcc"
    "8ngdcqekccjukxcbdegbdkgbcbkoccdcc2gfkdcggjihxcjhckgabbdk/cbbikcacbbkecbhckccbabbbabbdkkafbbafb"
    "bkhaebbabbbjfabbbjbbbjbbbkcjycdabbbcdbbchdbcddbcedbcxdfhedbjdfghejgc1ugejidcc1sdsjigcekjgdscgg"
    "dcbgbccdbekc*digccxdnjlgbc+jddec1pdognjbcbekjegccfdbckekcfjbc1jdojjcddbcidcjcekjcgecxhdcbddc1s"
    "dbcbddccdccfdccbdbcbjycdgccldfgccddcjkcgjccgjccgjjchjbchjbb1lhbcebjcbhcjeb2qc1ddigbdcjcekjgcAT"
    "ejmcxjec1rj88ecBojcc3kj1gbhjmbfjfcbdbckhbcnjbcfjbcbjbccjbccjbc3mhrjqcBlgchqc2ajcc1wjhhbj1acmhe"
    "dqgkjgdqg1djbgohbgbhdjbgbhbgcjecfjbc4hjegdhbgghbgeekgchdgca(gdhbgbhbb(gbhbgbhbghc2zjdcgjccgjcc"
    "gjccdjdhhjbhhjnhcjccmjbc(jbctjbccjbcpjccoj1cc3)jfgdjef1njdhjf1zhrfchdjbhnjdhbj1ph1ndbj4cc+jdc1"
    "rjpdbf)jec1afejjcufbcifbjfc1gdfjfc-jbgbc1ejecigbffj1ka1ib1ic2ojcekjga1ejeb1ejec1ijic1ujlgbaljb"
    "apjbahjbacjbbljbbpjbbhjbbcj2dc9xjjcwjkcijycgjbc1kjbcjj2fcgjccbjbc1mjbccjdcbjccxjbgbficxhcfhc/j"
    "ifjj1qctjbccjfffcwfgjdgbc(jfgbj2ac1yjefcccfqjcf1ocbddjbdcjfdecejbcdjbc+jcddjedbfjjhgjjhc+fcgbc"
    "+fdj1acihbc*dcjeffghjjc1wjdghcwjcfictjfficsjhgejmfhj2qc2jj1xa1tjnb1tjhfgc1edejiekj9gf/jbc1kjbd"
    "cgbjcccj2oc+fkcbjicwdlfegfjwcsdegej1gcvfhjucxjjddc1vdpghjefuekdbccdccbjjdec1ndlgcjbgedbjnczjhe"
    "kjgddc1edojbekgecbdccbjic1ddbgccbjjddc1qdocegedegbdcekcbgbcbgdjbfujlcsjbczdmggdbj2bchjbcbjbcej"
    "bcpjbckgbjgc1pdmjfekjgdejbcijcccjccwjbchjbccjbcfjbdccbdhjcdcjcddjccbjgdbjfcfdcjcdhjddfj4lc1vds"
    "cegfekgcjbgbdbcdj-c1qduccgbcbjiekj5gc1pdhjcdj",
    "gxcedcj1cc1qdrgdcbjlekjggnjtc1ldncbgbjgekj1wc)jcdpjeekfcgdhbchj5zc1mdpgbj3ea1ab1aekfjjmcijccbj"
    "ccijbccjbcydgjbdcjcdecbdbcbdcgdjjekj2gcijcc1hdhjcdhcbgbcbdbj)cbdkc1idhcbdegidbjicbdlc1odqgdcbg"
    "fjnc2jj8hcjjbc1fdijbdicbgfjkekftjdgcc-jcdwjbdoj2jchjbccjbc1gdgjddbjbdcjbdhcbdbjiekjgcgjbccjbc1"
    "adfjbdcjbdfcbjhekj9wctdegcj5xcbjpfvh+jngbcS(j3gf3pjbgfjlc6ej2Imc3bgcjnc11pj3UrcIhj8DzcHzjhc/jb"
    "ekjegcc2pjbekjgc-jcdfgbjkc1qdhgfhecegbhbjkekjbfhjbcvjfctjLqa1ab1afxgej3fc2ljedbcbd1xjhdecnj2ac"
    "cgbcbdbjldcjoc5Vyjic16wj1kcjj8Nhcejbchjbccjbc9dj1ncdjrcejicCmj28ec3ljfcnjdcjjhckjchbdcgbj4Jad1"
    "ojcdxjjh3uj1*h7wjkh1hjch1*dfhddgjidihcdhh-deh1+jvh2cddhbj4(fujmh2xjjfzj4ha(b(a(bhjbbsa(b(abjba"
    "cjcabjcacjcaejbaibejbbbjbbhjbbla(b(acjbaejcaijbahjbb(acjbaejbafjbabjdahjbb(a(b(a(b(a(b(a(b(a(b"
    "(a(b*jcazhbbzhbbgazhbbzhbbgazhbbzhbbgazhbbzhbbgazhbbzhbbgabbbjce1shGad1xhed1shidbhodbhcgfjpdfj"
    "bdpj12qbkcbbuj7bdhjbdrjcdhjbdcjbdfj6vc1njddhchjcekjecbhbjAac-dbjrc1mdeekjfhbj17achjbcejbccjbcp"
    "jbc6fjcfjdhj1ja1cb1cdhcbjeekjegcjOrf1)hbfdhbfej2mf1nhbfpj6ccejbc)jbccjbcbjccbjbckjbcejbcbjbcbj"
    "gcbjecbjbcbjbcbjbcdjbccjbcbjccbjbcbjbcbjbcbjbcbjbccjbcbjccejbchjbcejbcejbcbjbckjbcrjfcdjbcfjbc"
    "rj1uhcj8oh1mjeh3ejmhpjchpjbhpjbh1fjkfnh5bj1yh+jnh1mjehjjhhcjohgj4(hUyjfhqjdhnjdh3ujmh2zjhhmjeh"
    "bjphmjeh1yjihkjgh1ijih-jchcj2ohAujmhojchfjdhfjdhhjjh+jdhljfhgjkhkjghijihhjjh4tjbh1xj1fekj10gc1"
    "9Naj1ac41zjhc6-jcc5Kcjoc79rj30/cG-j1Fcc4QljLRDvd7qj5VGq"};

/* L and N: the other letters and numbers. Categories with two letters that are not here would take
 * as much again, and no schema was seen that names one. */
enum { LU, LL, L, M, ND, N, P, S, Z, C, PAIRS };
static const struct {
    const char *name, *long_name;
    uint16_t categories;
} categories[] = {{"Lu", "Uppercase_Letter", 1 << LU},
                  {"Ll", "Lowercase_Letter", 1 << LL},
                  {"L", "Letter", 1 << LU | 1 << LL | 1 << L},
                  {"M", "Mark", 1 << M},
                  {"Nd", "Decimal_Number", 1 << ND},
                  {"digit", "digit", 1 << ND},
                  {"N", "Number", 1 << ND | 1 << N},
                  {"P", "Punctuation", 1 << P},
                  {"S", "Symbol", 1 << S},
                  {"Z", "Separator", 1 << Z},
                  {"C", "Other", 1 << C}};

static uint32_t take_number(const char **p) {
    uint32_t n = 0;
    for (; !strchr(ends, **p); ++*p)
        n = n * 32 + (uint32_t)(**p <= '9' ? **p - '0' : **p - 'A' + 10);
    return n * 32 + (uint32_t)(strchr(ends, *(*p)++) - ends);
}

static void add_categories(unsigned bits, sluice__range_sink *add, void *user) {
    uint32_t from = 0;
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++)
        for (const char *p = runs[k]; *p;) {
            uint32_t category = take_number(&p), n = take_number(&p);
            bool pairs = category == PAIRS;
            if (!pairs && bits >> category & 1)
                add(user, from, from + n - 1);
            n = pairs ? 2 * n : n;
            for (uint32_t i = 0; pairs && i < n; i++)
                if (bits >> (i & 1) & 1)
                    add(user, from + i, from + i);
            from += n;
        }
}

bool sluice__unicode_class(view name, sluice__range_sink *add, void *user) {
    const char *equals = view_len(name) ? memchr(name.p, '=', view_len(name)) : NULL;
    view key = {name.p, equals ? equals : name.p};
    if (equals && !view_is(key, "gc") && !view_is(key, "General_Category"))
        return false;
    name.p = equals ? equals + 1 : name.p;
    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
        if (view_is(name, categories[i].name) || view_is(name, categories[i].long_name)) {
            add_categories(categories[i].categories, add, user);
            return true;
        }
    return false;
}
