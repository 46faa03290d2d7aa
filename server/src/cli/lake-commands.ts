/** Commands on a whole lake: verify, claim and sweep. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../base/errors.ts';
import { LAKE_INDEX_FILE, VERIFY_NOTE_FILE } from '../base/home-layout.ts';
import { counted } from '../base/printable.ts';
import { writeWholeFile } from '../base/write-whole-file.ts';
import {
  findLeftovers,
  type LakeProblem,
  START,
  type VerifyPosition,
  verifyParts,
} from '../lake/verify.ts';
import { openLakeIndex, openStorage } from '../open-home.ts';
import { noteAct } from './audited-ingest.ts';
import { type Command, type CommandContext, EXIT, flag } from './command.ts';
import { openHome } from './opened-home.ts';
import { linesText } from './text.ts';

const claim: Command = {
  name: ['lake', 'claim'],
  summary: "make this store the owner of the lake's parts",
  run: async (context) => {
    const { store, lake } = await openHome(context);
    const { epoch, takenFrom } = await lake.owner.claim();
    const act = { operation: 'claimLake', after: { epoch, takenFrom } };
    if (takenFrom) await noteAct(store, context, act);
    const text = takenFrom
      ? `The parts are this store's from now on, epoch ${epoch}; the store of epoch ${takenFrom.epoch} only reads them.\n`
      : `The parts are this store's already, epoch ${epoch}.\n`;
    return { value: { epoch, takenFrom }, text };
  },
};

const sweep: Command = {
  name: ['lake', 'sweep'],
  summary: 'remove parts that no version has, once nobody reads them any more',
  options: { 'dry-run': flag('only list what would be removed') },
  run: async (context, values) => {
    const isDryRun = values['dry-run'] === true;
    const { lake } = await openHome(context);
    const found = await lake.publisher.sweep({ isDryRun, signal: context.signal });
    const { pending, retired } = found;
    const lines = [
      ...pending.map((location) => `${location}: of a load that came to nothing`),
      ...retired.map((location) => `${location}: of versions that are dropped`),
      `${isDryRun ? 'Would remove' : 'Removed'} ${counted(pending.length + retired.length, 'part')}.`,
    ];
    return { value: found, text: linesText(lines) };
  },
};

const NOTE_EVERY_MS = 5000;

interface CheckOptions {
  readonly resumes: boolean;
  readonly readsRows: boolean;
}

/** State of an interrupted check, for the next one. */
interface Note {
  /** True if it reads rows. */
  readonly rows?: boolean;
  readonly position: VerifyPosition;
  readonly problems: readonly LakeProblem[];
}

/** Keeps the note of a check up to date. */
class NotedCheck {
  readonly problems: LakeProblem[];
  position: VerifyPosition;
  readonly #path: string;
  readonly #readsRows: boolean;
  #notedMs = Number.NEGATIVE_INFINITY;

  constructor(home: string, { resumes, readsRows }: CheckOptions) {
    this.#path = join(home, VERIFY_NOTE_FILE);
    this.#readsRows = readsRows;
    const note = resumes ? this.#read() : null;
    if (note && (note.rows ?? false) !== readsRows) {
      const [does, gives] = note.rows ? ['reads', 'with'] : ['does not read', 'without'];
      throw new UsageError(
        `the interrupted check ${does} rows: use --resume ${gives} --rows, or leave out --resume to start over`,
      );
    }
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
    const note: Note = {
      rows: this.#readsRows,
      position: this.position,
      problems: this.problems,
    };
    writeWholeFile(this.#path, `${JSON.stringify(note)}\n`, 0o600);
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

function textOf(report: Awaited<ReturnType<typeof check>>, readsRows: boolean): string {
  const { problems, partCount, storedByteCount } = report;
  const parts = `${counted(partCount, 'part')} of ${counted(storedByteCount, 'byte')}`;
  const sound = `${parts}: all as they were published${readsRows ? ', row by row' : ''}.`;
  return linesText(problems.length > 0 ? problems.map(lineOf) : [sound]);
}

async function check(
  { config, clock, signal, onProgress, closing }: CommandContext,
  checkOptions: CheckOptions,
) {
  const { home } = config;
  const noted = new NotedCheck(home, checkOptions);
  const storage = await openStorage(config);
  const rowsReader = checkOptions.readsRows ? closing(await storage.openRowsReader()) : null;
  const index = closing(await openLakeIndex(config));
  const options = {
    ...{ index, storage, rowsReader, signal },
    onProblem: (problem: LakeProblem) => noted.problems.push(problem),
    onProgress: (position: VerifyPosition, share: number) => {
      noted.reach(position, clock.now());
      onProgress('reading parts', share);
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
  }
}

const verify: Command = {
  name: ['lake', 'verify'],
  summary: 'read all parts again and report what is missing, cut off, altered or left over',
  options: {
    rows: flag('also read all rows and compare their content digest'),
    resume: flag('continue an interrupted check where it stopped'),
  },
  run: async (context, values) => {
    const path = join(context.config.home, LAKE_INDEX_FILE);
    if (!context.config.store && !existsSync(path)) {
      throw new UsageError(`there is no lake at ${path}; name another home with --home`);
    }
    const [resumes, readsRows] = [values.resume === true, values.rows === true];
    const report = await check(context, { resumes, readsRows });
    return {
      value: report,
      text: textOf(report, readsRows),
      exitCode: report.problems.length > 0 ? EXIT.refused : EXIT.done,
    };
  },
};

export const LAKE_COMMANDS: readonly Command[] = [claim, sweep, verify];
