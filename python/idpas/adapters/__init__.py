"""Models of other tools: one file for each, imported only when such a model is given."""
