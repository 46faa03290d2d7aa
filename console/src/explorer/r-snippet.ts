import { literal, RATE_LIMIT_WAIT_SECONDS, TRIES_MAX } from './snippet-rows';

/** The request as a program for R: pages of Arrow, so that types are those of the catalogue. */
export function rSnippet(url: string): string {
  return `# install.packages(c("arrow", "httr2"))
library(httr2)

url <- ${literal(url)}
pages <- list()
while (!is.null(url)) {
  page <- request(url) |>
    req_headers("X-API-KEY" = Sys.getenv("TICKLAKE_KEY"), .redact = "X-API-KEY") |>
    req_retry(max_tries = ${TRIES_MAX}, backoff = \\(attempt) min(2^attempt, ${RATE_LIMIT_WAIT_SECONDS})) |>
    req_perform()
  table <- arrow::read_ipc_stream(resp_body_raw(page), as_data_frame = FALSE)
  pages <- c(pages, list(table))
  url <- resp_link_url(page, "next")
}
rows <- do.call(arrow::concat_tables, pages)
print(rows)
`;
}
