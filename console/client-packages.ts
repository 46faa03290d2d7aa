/** Vite plugin: puts the clients beside the console, as the archives that pip and npm install. */
import { createWriteStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { packTar, type TarSource } from 'modern-tar/fs';
import type { Plugin } from 'vite';
import { buildPackage } from '../client/build-package.ts';
import { CLIENT_PACKAGES } from './src/format/client-packages.ts';

const ROOT = join(import.meta.dirname, '..');

/** Folders and files of the repository that make the Python client. */
const PYTHON_SOURCES = ['clients/python/pyproject.toml', 'clients/python/README.md', 'LICENSE'];
const PYTHON_PACKAGE = 'clients/python/src/ticklake';

/** Files that Python leaves beside its sources. */
const isSource = (path: string) => !path.includes('__pycache__');

async function writeArchive(file: string, sources: readonly TarSource[]): Promise<void> {
  const archive = packTar(sources, { filter: isSource });
  await pipeline(archive, createGzip({ level: 9 }), createWriteStream(file));
}

async function writePythonPackage(file: string): Promise<void> {
  const files = PYTHON_SOURCES.map(
    (path): TarSource => ({
      type: 'file',
      source: join(ROOT, path),
      target: `ticklake/${path.split('/').at(-1)}`,
    }),
  );
  const folder: TarSource = {
    type: 'directory',
    source: join(ROOT, PYTHON_PACKAGE),
    target: 'ticklake/src/ticklake',
  };
  await writeArchive(file, [...files, folder]);
}

async function writeTypescriptPackage(file: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ticklake-client-'));
  try {
    buildPackage(folder);
    await writeArchive(file, [{ type: 'directory', source: folder, target: 'package' }]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function clientPackages(): Plugin {
  return {
    name: 'client-packages',
    apply: 'build',
    writeBundle: async ({ dir }) => {
      if (dir === undefined) return;
      mkdirSync(join(dir, 'clients'), { recursive: true });
      await writePythonPackage(join(dir, CLIENT_PACKAGES.python));
      await writeTypescriptPackage(join(dir, CLIENT_PACKAGES.typescript));
    },
  };
}
