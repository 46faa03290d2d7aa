"""Arrow and Parquet as frames of each library. Types go by the catalogue, never by what is in the rows."""
