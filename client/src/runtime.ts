/** Node's modules, where the runtime has them; asked for when used, never imported. */

interface NodeHash {
  update(bytes: Uint8Array): unknown;
  digest(): Uint8Array;
}

export interface FileHandle {
  read(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ bytesRead: number }>;
  appendFile(bytes: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

interface Files {
  mkdir(path: string, options: { recursive: true }): Promise<unknown>;
  open(path: string, flags: string): Promise<FileHandle>;
  rename(from: string, to: string): Promise<void>;
  rm(path: string, options: { force: boolean }): Promise<void>;
}

interface Modules {
  'node:crypto': { createHash(name: 'sha256'): NodeHash };
  'node:fs/promises': Files;
}

/** Null in browsers, and in runtimes that are too old. */
export function builtinModule<Name extends keyof Modules>(name: Name): Modules[Name] | null {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } };
  return (process?.getBuiltinModule?.(name) as Modules[Name] | undefined) ?? null;
}
