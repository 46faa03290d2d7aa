# Runs after the snippet of R: prints `rows` as JSON, times in nanoseconds and each other value in full.
dumped <- function(column) {
  kind <- column$type$ToString()
  is_time <- startsWith(kind, "timestamp")
  if (is_time) column <- column$cast(arrow::int64())
  values <- as.vector(column)
  if (is_time || kind == "int64") {
    return(lapply(as.character(values), function(text) if (is.na(text)) NULL else list(integer = text)))
  }
  if (startsWith(kind, "date") || startsWith(kind, "decimal")) values <- as.character(values)
  lapply(values, function(value) if (length(value) == 1 && is.na(value)) NULL else value)
}
columns <- lapply(rows$columns, function(column) dumped(column$combine_chunks()))
cells <- lapply(seq_len(rows$num_rows), function(at) lapply(columns, function(column) column[[at]]))
cat("\n", jsonlite::toJSON(list(types = NULL, rows = cells), auto_unbox = TRUE, null = "null", digits = NA), sep = "")
