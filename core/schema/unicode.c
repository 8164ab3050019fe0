/* Classes of characters in patterns: \p{...}. */
#include "program.h"

/* Numbers are in base 32: digits `0` to `V`, and a last one of `ends`. */
static const char ends[] = "abcdefghijklmnopqrstuvwxyz()*+-/";

/* Runs of characters of one general category, from U+0000 on, in Unicode 14: the category's place
 * in `categories` as one of `ends`, and the length. Place 30: pairs of an Lu and an Ll. ISO C
 * limits a string's length. */
static const char *const runs[] = {
    "z1awbrdtbrdnbobrbsbrbmbrcikrcsdrca(nbrbobublbubb(nbsbobsbz1bwbrbtevbrbubvbebpbsb(bvbubvbsbkcu"
    "bbbrcubkbebqbkdrbaxsbahbysbbi-)abbc-habbc-xacbbabbbabbdacbbabbbacbbadbcaebbacbbadbdacbbacbb-c"
    "acbbabbcabbbacbbadbbabbbacbcebabbdeeabcbbbabcbbbabcbbb-habbc-iabbcabcbbbabbbadbb-*abbhacbbacb"
    "cabbbaebb-dabb2febb)dsuedmuodfuhdbubdburf3q-cdbubabbb+cdbbdrbab+eucabrbad+bab+bacbbar+bajb1da"
    "bbcadbd-labbfabbbsbabbbacbca1tb1q-rvbffhc-)acbb-fabbc-1q+ba1g+cdbrgb1jrbmb+cvctb+bf1nmbfbrbfc"
    "rbfcrbfb+ie)+eeerc+l(gsdrctbrcvcflrb(brde1adbekfvikreecfbe3drbebfh(bvbfgdcfcvbfeecikedvcebro+"
    "b(bebfbe-f)+ce2zfleb+oike1bfjdcvbrddb+cfbtcewfedbfjdbfddbff+crp+bezfd+crb+bel+feyubeg+b(c+gfi"
    "e1jdbfy(bf1agbe1wfbgbfbebgdfigefbgcebfhekfcrcikrbdbepfbgc+bei+cec+cew+beh+beb+dee+cfbebgdfe+c"
    "gc+cgcfbeb+igb+eec+bedfc+cikectckgvbtbebrbfb+cfcgb+beg+eec+cew+beh+bec+bec+bec+cfb+bgdfc+efc+"
    "cfd+dfb+hee+beb+hikfcedfbrb+kfcgb+bej+bed+bew+beh+bec+bef+cfbebgdff+bfcgb+bgcfb+ceb+pecfc+cik"
    "rbtb+hebfg+bfbgc+bei+cec+cew+beh+bec+bef+cfbebgbfbgbfe+cgc+cgcfb+hfcgb+eec+bedfc+cikvbebkg+kf"
    "beb+beg+ded+bee+dec+beb+bec+dec+ded+dem+egcfbgc+dgd+bgdfb+ceb+ggb+oikkdvgtbvb+ffbgdfbei+bed+b"
    "ex+beq+cfbebfdge+bfd+bfe+hfc+bed+ceb+cecfc+cik+hrbkhvbebfbgcrbei+bed+bex+bek+bef+cfbebgbfbgf+"
    "bfbgc+bgcfc+hgc+gec+becfc+cik+bec+nfcgcej+bed+be1jfcebgdfe+bgd+bgdfbebvb+eedgbkhedfc+cikkjvbe"
    "g+bfbgc+bes+dey+bej+beb+ceh+dfb+egdfd+bfb+bgi+gik+cgcrb+me1qfbecfh+etbegdbfirbikrc+1fec+beb+b"
    "ef+bey+beb+bekfbecfjeb+cef+bdb+bfg+cik+cee+1aebvdrpvbrbvdfcvgikkkvbfbvbfbvbfbnbobnbobgcei+be1"
    "e+efogbffrbfceffl+bf1e+bvifbvg+bvcrfverc+1fe1lgcfegbfggbfcgcfcebikrgeggcfceefdebgdecghedfeenf"
    "bgcfcggfbebgbikgdfbvca1g+bab+fab+cb1lrbdbbdeAj+bee+ceh+beb+bee+ce1j+bee+ce1b+bee+ceh+beb+bee+"
    "cep+be1z+bee+ce2d+cfdrjku+deqvk+ga2w+cbg+cmbeJmvbrberwbe(nbob+de2lrdjdei+hesfdgb+jetfcgbrc+je"
    "sfc+men+bed+bfc+me1ufcgbfhgifbgcflrddbrdtbebfb+cik+gkk+grgmbrefd(bfbik+ge1ddbe1v+heffce1cfbeb"
    "+fe2g+ke/+bfdgefcgd+egcfbggfd+evb+drcike-+cef+le1m+ee(+gikkb+dv1cexfcgcfb+crce1vgbfbgbfh+bfbg"
    "bfbgcfiggfk+cfbik+gik+grhdbrg+cfohbfq+1rfegbe1pfbgbffgbfbgffbgcei+dikrhvkfjvjrc+bfcgbe-gbfegc"
    "fcgbfdecike1mfbgbfcgdfbgbfdgc+iree1egifigcfc+drfik+dedike-dgrcbj+ha1l+cadri+ifdrbfngbfheefbeg"
    "fbecgbfceb+fb1md1/bndbb1cd1ff2a-2kabbj-1qabbjaibg+cag+cbiaibiaibg+cag+cbi+bab+bab+bab+babbiai"
    "bo+cbicibicibicibf+bbcaecbubbbudbd+bbcaecbudbe+cbcae+budbiafud+cbd+bbcaecbuc+bwl(fmgrcpbqbnbp"
    "cqbnbpbrixbyb(fwbrjpbqbrelcrdsbnbobrlsbrblbrkwb(f+b(kkbdb+ckgsdnbobdbkksdnbob+bdn+dt1b+pfnhef"
    "bhdfm+pvcabveabvcbbadbcadbbvbabvcsbafvgabvbabvbabvbaevbbbaebbeebbvcbcacsfabbevbsbvcbbvbkqj1da"
    "bbbjekbvc+esfvfscvesbvcsbvcsbvhsbv/scvcsbvbsbv/s8mvinbobnbobvuscvhnbobv2rsbv-szv1isgv2f+zvl+v"
    "k1*v2okwv5xsbvjsbv1wsiv3psbv7ynbobnbobnbobnbobnbobnbobnbobk-v1msfnbobs/nbobnbobnbobnbobnbobsq"
    "v8as4dnbobnbobnbobnbobnbobnbobnbobnbobnbobnbobnbobs1/nbobnbobs1anbobs8cv1qsvvcsgv1h+cv1a+bv3j"
    "a1qb1qabbbadbc-daebbabbcabbgdcadbb-1qabbcvg-cfdabbb+frekbrcb1g+bbb+fbb+ce1y+hdbrb+ofbex+jeh+b"
    "eh+beh+beh+beh+beh+beh+beh+bf1arcpbqbpbqbrdpbqbrbpbqbrjmbrcmbrbpbqbrcpbqbnbobnbobnbobnbobrfdb"
    "rkmcrembrbnbrnvcrdnbobnbobnbobnbobmb+1cv(+bv2z+mv6w+(vm+ewbrdvbdbebjbnbobnbobnbobnbobnbobvcnb"
    "obnbobnbobnbobmbnbocvbjjfegcmbdfvcjddbebrbvc+be2w+cfcucdcebmbe2(rbddeb+fe1l+be2-+bvckevke1av1"
    "e+meqv/+bkkv-kivbkpv1akkv1hkpvAae6Eav2aeKGvdbe13x+dv1x+je1idgrce8mdbrdeqikec+u-xebfbhdrbfkrbd"
    "b-odcfce2gjkfcrg+iuxdjuc-gabbd-/dbbi-cacbb-edbuc-cebabbbabbd-kafbbafbb-haebbabbb+fabbb+bbb+bb"
    "b-c+yddabbbebdcbbehfbedfbeefbexgcfcgbvefb+dkgvctbvb+ge1ure+igce1sgqfc+ircik+gfsegrdebrbecfbik"
    "e*fircexflgc+lrbe++dfdgbe1pfbgcfegcfcgdrn+bdbik+erceffbdbejik",
    "ef+be1jfggcfcgcfc+jedfbeifbgb+cik+creeqdbegvdebgbfbgbe1sfbebfdecfceffcebfbeb+yecdbrcelgbfcgcr"
    "cebdcgbfb+keg+ceg+ceg+jeh+beh+bb1lubdebjdbuc+eb2qe1dgcfbgcfbgcrbgbfb+cik+geATe+mex+ee1r+e)20a"
    "*68aeBo+ce3k+1gbh+mbf+febfbeksben+bef+beb+bec+bec+be3mur+qeBlobnbvqe2a+ce1w+hvb+1aemtbvdfqrhn"
    "bobrb+gfqrbmclcnbobnbobnbobnbobnbobnbobnbobnbobrcnbobreldrd+brembnbobnbobnbobrdsbmbsd+brbtbrc"
    "+eef+be4h+c(b+brdtbrdnbobrbsbrbmbrcikrcsdrca(nbrbobublbubb(nbsbobsbnbobrbnbobrcekdbe1ndce/+de"
    "g+ceg+ceg+ced+dtcsbubvbtc+bvbsevc+k(dvc+cem+be(+bet+bec+bep+ceo+1ce3)+frd+ek1n+dvjj1vkevrkcvd"
    "+bvn+dvb+1pv1nfb+4ce++de1r+pfbk)+ee1ake+jeujbeijb+fe1gff+fe-+brbe1e+eeirbjf+1ka1ib1ie2o+cik+g"
    "a1e+eb1e+ee1i+ie1u+lrbal+bap+bah+bac+bbl+bbp+bbh+bbc+2de9x+jew+kei+ydg+bd1k+bdj+2feg+ceb+be1m"
    "+bec+deb+cex+brbkiexvckhe/+ikj+1qet+bec+fkfewkg+drbe(+frb+2ae1y+ekceckq+ck1oebfd+bfc+ffeee+be"
    "d+be++cfd+efbkj+hrj+he+kcrbe+kd+1aeivbe*fc+ekfrh+je1w+drhew+ckiet+fkies+hre+mkh+2qe2j+1xa1t+n"
    "b1t+hkge1efe+iik+9gk/+be1k+bfcmb+cec+2oe+kkeb+iewflkerf+wesfere+1gevkh+uex+jgbfbgbe1vfprh+eku"
    "ikfbecfceb+jfdgbe1ngdfegcfcrc(brefb+k(b+cez+hik+gfde1effgbfi+bikreebgceb+ie1dfbrceb+jfcgbe1qg"
    "dfjgceereferbgbfbikebrbebrd+bku+les+bezgdfdgcfbgbfcrgfb+2beh+beb+bee+bep+bekrb+ge1pfbgdfi+fik"
    "+gfcgc+bei+cec+cew+beh+bec+bef+bfcebgcfbge+cgc+cgd+ceb+ggb+fefgc+cfh+dff+4le1vgdfigcfdgbfbeer"
    "fikrc+brbfbed+-e1qgdfggbfbgefcgbfcecrbeb+iik+5ge1pgdfe+cgefcgbfcrxeefc+1ce1qgdfigcfbgbfcrdeb+"
    "lik+grn+te1lfbgbfbgcfggbfbebrb+gik+1we)+cfdgcfegbff+eikkcrdvbeh+5ze1mgdfjgbfcrb+3ea1ab1aikkj+"
    "mei+ceb+cei+bec+beygg+bgc+cfcgbfbebgbebgbfbrd+jik+2gei+ce1hgdfe+cfcgefbebrbebgb+)ebfke1ifggbe"
    "bferifb+iebfggcfde1ofngbfcrdebrf+ne2j+8hej+be1fgbfh+bfggbfbebrf+kikkt+drce-+cfw+bgbfhgbfcgbfc"
    "+2jeh+bec+be1gfg+dfb+bfc+bfhebfb+iik+geg+bec+be1agf+bfc+bgcfbgbfbeb+hik+9wetfcgcrc+5xeb+pkvvi"
    "tevr+nrbeS(+3gj3p+brf+le6e+2Ime3brc+ne11p+b(j+3UheIh+8DzeHz+he/+bik+erce2p+bik+ge-+cffrb+ke1q"
    "fhrfvederbvb+kik+bkh+bev+fet+Lqa1ab1akxre+3fe2l+efbebg1x+hfedn+2adcrbdbfb+lgc+oe5Vy+ie16w+1ke"
    "j+8Nhde+bdh+bdc+be9d+1ned+ree+ieCm+28ee3l+fen+dej+hek+cvbfcrb(e+4I*f1o+cfx+jv3u+1*v7w+kv1h+cv"
    "1*gcfdvdgg(ifivcfhv-fev1++vv2cfdvb+4(ku+mv2x+jkz+4ha(b(a(bh+bbsa(b(ab+bac+cab+cac+cae+baibe+b"
    "bb+bbh+bbla(b(ac+bae+cai+bah+bb(ac+bae+baf+bab+dah+bb(a(b(a(b(a(b(a(b(a(b(a(b*+cazsbbzsbbgazs"
    "bbzsbbgazsbbzsbbgazsbbzsbbgazsbbzsbbgabbb+ci1svGaf1xvef1svifbvofbvcrf+pff+bfp+12qbkebbu+7bfh+"
    "bfr+cfh+bfc+bff+6ve1n+dfhdh+cik+eebvb+Aae-fb+re1mfeik+ftb+17aeh+bee+bec+bep+be6f+ckjfh+1ja1cb"
    "1cfhdb+eik+erc+Ork1)vbkdtbke+2mk1nvbkp+6cee+be)+bec+beb+ceb+bek+bee+beb+beb+geb+eeb+beb+beb+b"
    "ed+bec+beb+ceb+beb+beb+beb+beb+bec+beb+cee+beh+bee+bee+beb+bek+ber+fed+bef+ber+1usc+8ov1m+ev3"
    "e+mvp+cvp+bvp+bv1f+kknv5b+1yv++nv1m+evj+hvc+ovg+4(v7)ufvMy+fvq+dvn+dv3u+mv2z+hvm+evb+pvm+ev1y"
    "+ivk+gv1i+iv-+cvc+2ovAu+mvo+cvf+dvf+dvh+jv++dvl+fvg+kvk+gvi+ivh+jv4t+bv1x+1fik+10ge19Na+1ae41"
    "z+he6-+ce5Kc+oe79r+30/eG-+1Fce4Ql+LR5w(b+-(3a+4af7q+1VGq*1VV-+c*1VV-+c"};

static const char categories[][3] = {"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl",
                                     "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm", "Sc",
                                     "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn"};
enum { PAIRS = 30 };

static const struct {
    const char *name, *category; /* a category, or the letter of several */
} long_names[] = {{"Letter", "L"},
                  {"Uppercase_Letter", "Lu"},
                  {"Lowercase_Letter", "Ll"},
                  {"Titlecase_Letter", "Lt"},
                  {"Cased_Letter", "LC"},
                  {"Modifier_Letter", "Lm"},
                  {"Other_Letter", "Lo"},
                  {"Mark", "M"},
                  {"Combining_Mark", "M"},
                  {"Nonspacing_Mark", "Mn"},
                  {"Spacing_Mark", "Mc"},
                  {"Enclosing_Mark", "Me"},
                  {"Number", "N"},
                  {"Decimal_Number", "Nd"},
                  {"digit", "Nd"},
                  {"Letter_Number", "Nl"},
                  {"Other_Number", "No"},
                  {"Punctuation", "P"},
                  {"punct", "P"},
                  {"Symbol", "S"},
                  {"Math_Symbol", "Sm"},
                  {"Currency_Symbol", "Sc"},
                  {"Separator", "Z"},
                  {"Space_Separator", "Zs"},
                  {"Other", "C"},
                  {"Control", "Cc"},
                  {"Format", "Cf"},
                  {"Unassigned", "Cn"}};

/* Lengths of the gaps before ranges, and of these. */
static const struct {
    const char *name, *ranges;
} scripts[] = {
    {"Arabic",
     "1Gafbgbobdb1abkl(b3mb1c2q1q7q/bcg2kb+1SIq3tqBlc2qc1whb1aq3qfb4h3Rd/1NSbeb)bcbbcbbkbebbbbgb"
     "ebbbbbbdbcbbcbbbbbbbbbbcbbcebhbebebbbkbrfdbfbr1uc"},
    {"Armenian", "19r1gc1scd1TCdf"},
    {"Bengali", "2Caebicccwbhbbdecjccceibecbfcz"},
    {"Cyrillic", "10a4fc5j5Qqj5cb2mb43h1aU2a3aLSoc"},
    {"Devanagari", "28a2repc(17Ra1a"},
    {"Ethiopic",
     "4Ga2jbechbbbec1jbec1bbechbbbecpb1zbec2dc1ad(6FgxjhbhbhbhbhbhbhbhV9cgcgcgjhbh2F5rhbebcbp"},
    {"Georgian", "45a1gbbfbc1lbe2Sq1lcd42a1gbbfb"},
    {"Greek",
     "Rqebdcebbebbbbdbbbub1/oq69gf1sfef2ubAawcgc1gcgcibbbbbbb/c1vbpbocgbtcdbj9hb12H-bLE(2prb1K2/"
     "2g"},
    {"Han", "BKa(b2zm6w1pbbbzjoeUe6Ea2aKGaM8aBoc3kT8icmc140o19Na1a41zh6-c5Kco79r30/G-1Fc4Ql"},
    {"Hangul", "48a8a7Hoc8b2-3r/2b/TNb+KdATemxe1r9Te/dgcgcgcd"},
    {"Hebrew", "1Cr1xi)eg1T9i(bfbbbcbcbk"},
    {"Hiragana", "C2b2wgd2VRb8/1qdG5nb"},
    {"Katakana", "C5b2(cd7qq6q1pb2y1J0okb1n1C2sebhbcbb8/d2be"},
    {"Khmer", "5Sa2-ckgkFg1a"},
    {"Lao", "3Kbcbbbfbybbbxcfbbbgckce"},
    {"Latin",
     "2b(g(1pbpbfxb/bEb1hf6G)1gg1rfefnb2g2b8aBrbnbqn4ncgb)br1j2Mx1aULc3gd2afcbbbfyoPq1lbjbeJSwh1"
     "0((g(21fgb1kbj1LQf/"},
    {"Tamil", "2Sccbgddbedcbbbcdcdddmefddbecbgbov24Uf1snb"},
    {"Thai", "3Gb1(f*"}};

static uint32_t take_number(const char **p) {
    uint32_t n = 0;
    for (; !strchr(ends, **p); ++*p)
        n = n * 32 + (uint32_t)(**p <= '9' ? **p - '0' : **p - 'A' + 10);
    return n * 32 + (uint32_t)(strchr(ends, *(*p)++) - ends);
}

static bool named(const char *text, size_t len, const char *name) {
    return strlen(name) == len && memcmp(text, name, len) == 0;
}

/* Returns a bit for each category of this name; 0 if there is none. */
static uint32_t categories_named(const char *name, size_t len) {
    uint32_t bits = 0;
    for (size_t i = 0; i < sizeof long_names / sizeof *long_names; i++)
        if (named(name, len, long_names[i].name))
            return categories_named(long_names[i].category, strlen(long_names[i].category));
    if (named(name, len, "LC"))
        return 7;
    for (uint32_t i = 0; i < PAIRS; i++)
        if (*name == categories[i][0] && (len == 1 || (len == 2 && name[1] == categories[i][1])))
            bits |= UINT32_C(1) << i;
    return bits;
}

static bool add_categories(uint32_t bits, sluice__range_sink add, void *user) {
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
    return bits;
}

bool sluice__unicode_class(const char *name, size_t len, sluice__range_sink add, void *user) {
    static const char *const keys[] = {"General_Category=", "gc=", "Script=", "sc="};
    size_t key = 0, n = 0;
    for (; key < 4 && !n; key++)
        if (len > strlen(keys[key]) && memcmp(name, keys[key], strlen(keys[key])) == 0)
            n = strlen(keys[key]);
    name += n;
    len -= n;
    if (!len || !n || key <= 2)
        return len && add_categories(categories_named(name, len), add, user);
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        if (!named(name, len, scripts[i].name))
            continue;
        uint32_t at = 0;
        for (const char *p = scripts[i].ranges; *p;) {
            at += take_number(&p);
            uint32_t length = take_number(&p);
            add(user, at, at + length - 1);
            at += length;
        }
        return true;
    }
    return false;
}
