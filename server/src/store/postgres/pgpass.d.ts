declare module 'pgpass' {
  /** Looks up a password in the file that `PGPASSFILE` names, or in `~/.pgpass`. */
  export default function pgPass(
    connection: { host: string; port: number; database: string; user: string },
    callback: (password: string | undefined) => void,
  ): void;
}
