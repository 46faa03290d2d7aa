/**
 * A service of its own for each test file: a new home, the shipped catalogue, real engine and
 * stores, a clock that stands still, and an account that may read everything.
 */
import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { generateKey, hashKey, keyReference } from '../src/access/api-key.ts';
import { type PasswordCost, Passwords } from '../src/access/passwords.ts';
import { beginSession, csrfTokenOf } from '../src/access/session.ts';
import { fixedClock } from '../src/base/clock.ts';
import { DEFINITIONS_FOLDER, SITE_FILE } from '../src/base/home-layout.ts';
import type { Dataset } from '../src/catalog/dataset.ts';
import { batchOfRows, type CellValue } from '../src/engine/columns.ts';
import type { Engine } from '../src/engine/engine.ts';
import { ENGINE_LIMITS, INSTALLED_ENGINE } from '../src/installed.ts';
import { type OpenServices, openServices } from '../src/open-services.ts';
import { buildApp } from '../src/routes/app.ts';
import { type Config, readConfig } from '../src/settings/config.ts';
import { UNLIMITED } from '../src/store/accounts.ts';
import type { Role } from '../src/store/people.ts';
import { lakeEnvironment } from './place-of-tests.ts';
import { publishBatches } from './publish-batches.ts';
import { writing } from './writing.ts';

const DAY_MS = 86_400_000;

/** The least that the runtime does: tests look at many passwords. */
export const CHEAP_PASSWORDS: PasswordCost = { memoryKibibytes: 8, passes: 1 };

export interface TestService {
  readonly app: FastifyInstance;
  readonly services: OpenServices;
  readonly clock: ReturnType<typeof fixedClock>;
  /** Key of an account that is entitled to every dataset from 1900 on. */
  readonly key: string;
  readonly accountId: number;
  /** Without the checks of its definition. */
  dataset(textId: string): Dataset;
  /** Publishes rows, each with a cell for each column of the dataset. */
  publish(textId: string, rows: readonly (readonly CellValue[])[]): Promise<void>;
  /** A GET with the key. */
  get(url: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  addAccount(name: string): Promise<{ accountId: number; key: string }>;
  /** A person without a password, who can be signed in by `sessionOf` alone. */
  addPerson(role: Role, accountId: number | null): Promise<number>;
  /** Headers of a request in a new session of a person. */
  sessionOf(personId: number): Promise<{ cookie: string; 'x-csrf-token': string }>;
  /** Deletes the home too, after `look` has inspected the stored state. */
  close(look?: (home: string) => void): Promise<void>;
}

/** Has workers make pages of many cells, as the product does. */
export const WITH_WORKERS = { workerCellsMin: ENGINE_LIMITS.workerCellsMin };

/** Settings and constants, and what the home has from the start. */
export interface TestSettings extends Partial<Config> {
  /** A folder of dataset definitions, which is copied into the home. */
  readonly definitions?: string;
  /** Fields of `site.yaml`. */
  readonly site?: Readonly<Record<string, unknown>>;
  /** A built console, whose files take longer to read than all else; none by default. */
  readonly consoleFolder?: string;
}

/** `startHome` is a home that is copied: its lake, or all of it. */
export async function openTestService(
  { definitions, site, consoleFolder, ...settings }: TestSettings = {},
  engine: Engine = INSTALLED_ENGINE,
  startHome: string | null = null,
): Promise<TestService> {
  const home = mkdtempSync(join(tmpdir(), 'ticklake-test-'));
  if (startHome !== null) cpSync(startHome, home, { recursive: true });
  if (definitions !== undefined) {
    cpSync(definitions, join(home, DEFINITIONS_FOLDER), { recursive: true });
  }
  if (site !== undefined) writeFileSync(join(home, SITE_FILE), JSON.stringify(site));
  const clock = fixedClock('2025-06-20T16:00:00Z');
  // Making the reserve and starting workers take a while, which few tests need.
  const cheap = { storeReserveBytes: 0, workerCellsMin: Number.POSITIVE_INFINITY };
  const own = { ...cheap, ...settings, home };
  const environment = { TICKLAKE_LOG_LEVEL: 'silent', ...lakeEnvironment() };
  const config = { ...readConfig(environment), ...own };
  const services = {
    ...(await openServices(config, clock, engine)),
    passwords: new Passwords(CHEAP_PASSWORDS),
  };
  const { catalog, lake, store } = services;
  const app = buildApp(services, consoleFolder ?? join(home, 'no console'));

  const addAccount = (name: string) =>
    store.transaction(async ({ accounts, keys }) => {
      const createdAtMs = clock.now();
      const accountId = await accounts.create({
        name,
        isAdmin: false,
        maxActiveApiKeys: 3,
        ipSubnets: [],
        limits: UNLIMITED,
        createdAtMs,
      });
      const key = generateKey();
      await keys.create({
        accountId,
        name: `key of ${name}`,
        hash: hashKey(key),
        reference: keyReference(key),
        createdAtMs,
        expiresAtMs: createdAtMs + 90 * DAY_MS,
      });
      return { accountId, key };
    });
  const { accountId, key } = await addAccount('everything');
  await store.transaction(async ({ rules }) => {
    for (const { datasetId } of catalog.datasets) {
      const window = { startDate: '1900-01-01', endDate: null };
      await rules.add({ accountId, datasetId, ...window, universe: [] });
    }
  });

  const dataset = (textId: string) => {
    const found = catalog.byTextId(textId);
    if (!found) throw new Error(`no dataset ${textId}`);
    // Tests make up rows that say nothing sensible: checks have tests of their own.
    return { ...found, checks: [] };
  };
  return {
    app,
    services,
    clock,
    key,
    accountId,
    dataset,
    publish: async (textId, rows) => {
      const target = dataset(textId);
      const batches = async function* () {
        yield batchOfRows(target.columns, rows);
      };
      await publishBatches(lake, {
        dataset: target,
        mode: 'replace',
        vendor: 'Test',
        batches: batches(),
      });
    },
    get: (url, headers = {}) => app.inject({ url, headers: { 'x-api-key': key, ...headers } }),
    addAccount,
    addPerson: (role, ofAccountId) =>
      writing(store).people.create({
        email: `${randomUUID()}@test.example`,
        role,
        accountId: ofAccountId,
        passwordHash: 'none',
        createdAtMs: clock.now(),
      }),
    sessionOf: async (personId) => {
      const token = await store.transaction((tx) =>
        beginSession(tx, { personId, createdAtMs: clock.now() }, config),
      );
      return { cookie: `ticklake_session=${token}`, 'x-csrf-token': csrfTokenOf(token) };
    },
    close: async (look) => {
      await app.close();
      await services.close();
      look?.(home);
      rmSync(home, { recursive: true, force: true });
    },
  };
}
