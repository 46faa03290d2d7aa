/** `ticklake lake verify`: reads the lake again and tells what is wrong with it. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../base/errors.ts';
import { LAKE_INDEX_FILE, VERIFY_NOTE_FILE } from '../base/home-layout.ts';
import { writeWholeFile } from '../base/write-whole-file.ts';
import {
  findLeftovers,
  type LakeProblem,
  START,
  type VerifyPosition,
  verifyParts,
} from '../lake/verify.ts';
import { BACKUP_TOOLS, openLakeIndex } from '../open-home.ts';
import { type Command, type CommandContext, refuseArguments } from './command.ts';
import { EXIT } from './exit-codes.ts';
import { counted } from './load-options.ts';
import { ProgressBar } from './progress-bar.ts';

const NOTE_EVERY_MS = 5000;

/** What a check that was interrupted leaves behind for the next one. */
interface Note {
  readonly position: VerifyPosition;
  readonly problems: readonly LakeProblem[];
}

/** Keeps the note of a check up to date. */
class NotedCheck {
  readonly problems: LakeProblem[];
  position: VerifyPosition;
  readonly #path: string;
  #notedMs = Number.NEGATIVE_INFINITY;

  constructor(home: string, resumes: boolean) {
    this.#path = join(home, VERIFY_NOTE_FILE);
    const note = resumes ? this.#read() : null;
    this.position = note?.position ?? START;
    this.problems = [...(note?.problems ?? [])];
  }

  reach(position: VerifyPosition, nowMs: number): void {
    this.position = position;
    if (nowMs - this.#notedMs < NOTE_EVERY_MS) return;
    this.#notedMs = nowMs;
    this.write();
  }

  write(): void {
    const { position, problems } = this;
    writeWholeFile(this.#path, `${JSON.stringify({ position, problems })}\n`, 0o600);
  }

  remove(): void {
    rmSync(this.#path, { force: true });
  }

  #read(): Note | null {
    return existsSync(this.#path) ? JSON.parse(readFileSync(this.#path, 'utf8')) : null;
  }
}

function lineOf(problem: LakeProblem): string {
  if (problem.kind === 'left over') return `left over: no version needs ${problem.location}`;
  const { datasetId, key, message, isCurrent } = problem;
  return `${datasetId} ${key}${isCurrent ? '' : ' of an earlier version'}: ${message}`;
}

async function check({ config, clock, signal, terminal }: CommandContext, resumes: boolean) {
  const { home } = config;
  const index = openLakeIndex(home);
  const storage = BACKUP_TOOLS.openStorage(home);
  const bar = new ProgressBar(terminal, () => clock.now());
  const noted = new NotedCheck(home, resumes);
  const options = {
    ...{ index, storage, signal },
    onProblem: (problem: LakeProblem) => noted.problems.push(problem),
    onProgress: (position: VerifyPosition, share: number) => {
      noted.reach(position, clock.now());
      bar.update('reading parts', share);
    },
  };
  try {
    const { checked } = await verifyParts(options, noted.position);
    await findLeftovers(options);
    noted.remove();
    return { ...checked, problems: noted.problems };
  } catch (error) {
    if (signal.aborted) noted.write();
    throw error;
  } finally {
    bar.clear();
    await index.close();
  }
}

export const lakeVerify: Command = {
  name: ['lake', 'verify'],
  summary: 'read all parts again and tell what is missing, cut off, altered or left over',
  usage: '',
  options: {
    resume: {
      type: 'boolean',
      description: 'go on where an interrupted check has stopped',
    },
  },
  run: async (context, values, positionals) => {
    refuseArguments('lake verify', positionals);
    const path = join(context.config.home, LAKE_INDEX_FILE);
    if (!existsSync(path)) {
      throw new UsageError(`there is no lake at ${path}; name another home with --home`);
    }
    const report = await check(context, values.resume === true);
    const { problems, partCount, storedByteCount } = report;
    const lines =
      problems.length > 0
        ? problems.map(lineOf)
        : [
            `${counted(partCount, 'part')} of ${counted(storedByteCount, 'byte')}: all as they were published.`,
          ];
    return {
      value: report,
      text: lines.map((line) => `${line}\n`).join(''),
      exitCode: problems.length > 0 ? EXIT.refused : EXIT.done,
    };
  },
};
