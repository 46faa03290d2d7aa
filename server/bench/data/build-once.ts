/** Folders that are built whole or not at all, and stay for later runs. */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';

/** Resolves when the folder is there; another run may be building it at the same time. */
export async function buildOnce(
  folder: string,
  build: (folder: string) => Promise<void>,
): Promise<void> {
  if (existsSync(folder)) return;
  const building = `${folder}.building-${process.pid}`;
  mkdirSync(building, { recursive: true });
  try {
    await build(building);
    if (!existsSync(folder)) renameSync(building, folder);
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
}
