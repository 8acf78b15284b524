*,;:!? §) nothing of this is a model
}{)(/&%$ 17 ???? ++--
8&& ,,, ]][[ 4
