/** A program to copy, or the address. */
export interface Snippet {
  readonly name:
    | 'python-client'
    | 'duckdb'
    | 'r'
    | 'typescript-client'
    | 'get'
    | 'url'
    | 'curl'
    | 'typescript'
    | 'pandas'
    | 'polars';
  readonly label: string;
  readonly text: string;
}
