# Sourced by setup.sh: which libclang would the build load?
#
# The bindings of the embedded solver are made by bindgen, whose crate clang-sys loads libclang when it runs. The names and
# folders below are the ones that clang-sys searches, so that the answer here is the answer the build will get. The C++
# library of clang, libclang-cpp, has a similar name and is of no use.

# Every file that clang-sys would take for libclang, one per line.
libclang_candidates() {
    local folders=() more=() folder file prefix
    if [ -n "${LIBCLANG_PATH:-}" ]; then
        # Where this is set, nothing else is searched. It names a folder or a file.
        if [ -f "$LIBCLANG_PATH" ]; then
            printf '%s\n' "$LIBCLANG_PATH"
            return
        fi
        folders=("$LIBCLANG_PATH")
    else
        if prefix=$("${LLVM_CONFIG_PATH:-llvm-config}" --prefix 2>/dev/null); then
            folders+=("$prefix/bin" "$prefix/lib" "$prefix/lib64")
        fi
        IFS=: read -ra more <<<"${LD_LIBRARY_PATH:-}:${LIBRARY_PATH:-}"
        folders+=("${more[@]}")
        folders+=(/usr/local/llvm*/lib* /usr/local/lib*/*/* /usr/local/lib*/* /usr/local/lib*)
        folders+=(/usr/lib*/*/* /usr/lib*/* /usr/lib*)
    fi
    for folder in "${folders[@]}"; do
        [ -n "$folder" ] || continue
        for file in "$folder"/libclang.so "$folder"/libclang-*.so "$folder"/libclang.so.* "$folder"/libclang-*.so.*; do
            case ${file##*/} in *-cpp.*) continue ;; esac
            [ -e "$file" ] && printf '%s\n' "$file"
        done
    done
    return 0
}

# Whether the dynamic linker finds everything that a library needs. A file that is no library, or one for another
# processor, fails.
is_loadable() {
    local needs
    command -v ldd >/dev/null || [ -x /usr/bin/ldd ] || return 0
    needs=$(ldd "$1" 2>&1) || return 1
    case $needs in *"not found"* | *"not a dynamic executable"*) return 1 ;; esac
}

# Prints a libclang that can be loaded; fails if there is none. Sets `libclang_sure` to `no` where another candidate
# cannot be loaded, so that the build must be told which one to take.
find_libclang() {
    local file good=''
    libclang_sure=yes
    while IFS= read -r file; do
        if is_loadable "$file"; then
            good=${good:-$file}
        else
            libclang_sure=no
        fi
    done < <(libclang_candidates)
    libclang_found=$good
    [ -n "$good" ]
}
