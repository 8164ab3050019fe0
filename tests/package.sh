#!/bin/sh
# Makes the packages for Debian with cpack, installs them into a clean root, and runs the command there: tests/package.sh BUILD
# The root is a Debian of its own (debootstrap) with `full`; else a folder with the packages and the libraries that they depend on.
set -eu
build=$(cd "$1" && pwd)
command -v dpkg-deb >/dev/null || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    echo "$1" >&2
    exit 1
}

(cd "$build" && cpack -G DEB -B "$folder/deb") >"$folder/log" 2>&1 || {
    tail -n 20 "$folder/log"
    fail "cpack fails"
}
# Each package has its own files, and no two have the same
while read -r package files; do
    deb=$(echo "$folder/deb/${package}_"*.deb)
    [ -e "$deb" ] || fail "there is no package $package"
    dpkg-deb --field "$deb" Package Version Depends
    dpkg-deb --fsys-tarfile "$deb" | tar t | grep -v '/$' >"$folder/contents"
    cat "$folder/contents" >>"$folder/all"
    for file in $files share/doc/$package/copyright share/doc/$package/THIRD_PARTY_LICENSES; do
        grep -qx "\./usr/$file" "$folder/contents" || fail "$file is not in $package"
    done
done <<END
sluice bin/sluice share/man/man1/sluice.1 share/bash-completion/completions/sluice
libsluice0 lib/libsluice.so.0 share/sluice/syntaxes/hermes.lua
libsluice-dev include/sluice.h lib/libsluice.so lib/libsluice.a lib/pkgconfig/sluice.pc lib/cmake/sluice/sluice-config.cmake
lua-sluice lib/lua/5.4/sluice/core.so share/lua/5.4/sluice/init.lua
END
[ "$(find "$folder/deb" -maxdepth 1 -name '*.deb' | wc -l)" = 4 ] || fail "there are other packages than these four"
if sort "$folder/all" | uniq -d | grep . || grep -v '^\./usr/' "$folder/all"; then
    fail "packages share files, or have some outside usr/"
fi

root=$folder/root
mkdir "$folder/files"
for deb in "$folder"/deb/*.deb; do
    dpkg-deb --extract "$deb" "$folder/files"
done
for file in bin/sluice lib/libsluice.so.0 lib/libsluice.a; do
    ! readelf -S "$folder/files/usr/$file" | grep -q '\.debug_info' || fail "$file is not stripped"
done
if [ "${2:-}" = full ]; then
    command -v debootstrap >/dev/null || exit 77
    uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | head -n 1)
    suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
    debootstrap --variant=minbase "$suite" "$root" "$uri" >"$folder/log" 2>&1 || {
        echo "debootstrap fails: SKIPPED" >&2
        exit 77
    }
    cp "$folder"/deb/*.deb "$root/"
    chroot "$root" sh -c 'apt-get update -qq && apt-get install -y -qq /*.deb' >"$folder/log" 2>&1 || {
        tail -n 20 "$folder/log"
        fail "the packages cannot be installed in a clean Debian"
    }
else
    cp -a "$folder/files" "$root"
    # what their dependencies bring: the shared libraries, the loader, a shell
    for file in $(ldd "$root/usr/bin/sluice" /bin/sh | grep -o '/[^ :)]*' | sort -u); do
        mkdir -p "$root$(dirname "$file")"
        [ -e "$root$file" ] || cp -L "$file" "$root$file"
    done
    mkdir -p "$root/tmp"
fi
[ "$(id -u)" = 0 ] || {
    echo "chroot needs root: SKIPPED" >&2
    exit 77
}
in_root() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$root" "$@"; }
in_root /usr/bin/sluice --version
echo "-- changed here" >>"$root/usr/share/sluice/syntaxes/hermes.lua" # else it is the one inside the command
in_root /usr/bin/sluice list --json | grep -q '"path": "/usr/share/sluice/syntaxes/hermes.lua"' || fail "the scripts are not found"
echo '<tool_call>{"name": "now", "arguments": {}}</tool_call>' | in_root /usr/bin/sluice parse -s hermes | grep -q '"name": "now"' ||
    fail "no call is found"
if [ "${2:-}" = full ]; then
    in_root dpkg --status sluice | grep -q '^Status: install ok installed' || fail "dpkg does not know it"
    in_root apt-get remove -y -qq sluice libsluice0 libsluice-dev lua-sluice >/dev/null 2>&1
    [ ! -e "$root/usr/bin/sluice" ] && [ ! -e "$root/usr/share/sluice" ] || fail "files stay when it is removed"
fi
echo "packaged, installed in a clean root, and used"
