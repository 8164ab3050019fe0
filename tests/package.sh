#!/bin/sh
# Makes a .deb with cpack, installs it into a clean root, and runs it there: tests/package.sh BUILD
# The root is a Debian of its own (debootstrap) with `full`; else a folder with the package and the libraries that it depends on.
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
deb=$(find "$folder/deb" -maxdepth 1 -name '*.deb')
[ -n "$deb" ] || fail "there is no .deb"
dpkg-deb --field "$deb" Package Version Depends
dpkg-deb --contents "$deb" >"$folder/contents"
for file in usr/bin/sluice usr/share/man/man1/sluice.1 usr/share/bash-completion/completions/sluice usr/include/sluice.h \
    usr/share/sluice/syntaxes/hermes.lua usr/share/doc/sluice/copyright usr/share/doc/sluice/THIRD_PARTY_LICENSES; do
    grep -q " \./$file\$" "$folder/contents" || fail "$file is not in the package"
done
if grep -vE ' \./(usr/.*)?$' "$folder/contents"; then
    fail "the package has files outside usr/"
fi

root=$folder/root
dpkg-deb --extract "$deb" "$folder/files"
for file in bin/sluice lib/libsluice.so.0 lib/libsluice.a; do
    [ -e "$folder/files/usr/$file" ] || fail "$file is not in the package"
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
    cp "$deb" "$root/sluice.deb"
    chroot "$root" sh -c 'apt-get update -qq && apt-get install -y -qq /sluice.deb' >"$folder/log" 2>&1 || {
        tail -n 20 "$folder/log"
        fail "the package cannot be installed in a clean Debian"
    }
else
    mkdir "$root"
    dpkg-deb --extract "$deb" "$root"
    # what its dependencies bring: the shared libraries, the loader, a shell
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
    in_root apt-get remove -y -qq sluice >/dev/null 2>&1
    [ ! -e "$root/usr/bin/sluice" ] && [ ! -e "$root/usr/share/sluice" ] || fail "files stay when it is removed"
fi
echo "packaged, installed in a clean root, and used"
