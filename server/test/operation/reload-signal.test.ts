/** SIGHUP to a real server: definitions are read again while it serves. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { TYPED_TEXT_ID, typedDefinitions } from '../oracle/typed-definition.ts';
import {
  type Home,
  makeHome,
  ROWS_PATH,
  type ServerProcess,
  startServer,
} from './server-process.ts';

let home: Home;
let server: ServerProcess;
let file: string;

beforeAll(async () => {
  home = await makeHome(3, 1);
  file = join(home.path, 'datasets', `${TYPED_TEXT_ID}.yaml`);
  server = await startServer(home, { TICKLAKE_LOG_LEVEL: 'info' });
});
afterAll(async () => {
  server.child.kill('SIGTERM');
  await server.ended;
  home.remove();
});

async function ask(path: string) {
  const answer = await fetch(`${server.url}${path}`, { headers: { 'x-api-key': server.key } });
  return { status: answer.status, body: await answer.text() };
}

const logged = () => server.stderr();

/** Names of the datasets in the catalogue. */
async function offered(): Promise<string[]> {
  const { status, body } = await ask('/v1/meta/datasets');
  expect(status, body).toBe(200);
  return JSON.parse(body).map((each: { dataset_text_id: string }) => each.dataset_text_id);
}

/** Sends the signal and waits until the log tells what became of it once more. */
async function hangUp(outcome: string): Promise<void> {
  const toldCount = () => logged().split(outcome).length;
  const before = toldCount();
  server.child.kill('SIGHUP');
  await eventually(() => expect(toldCount()).toBe(before + 1));
}

it('offers a dataset that was defined meanwhile, and goes on answering', async () => {
  expect(await offered()).not.toContain(TYPED_TEXT_ID);
  mkdirSync(join(file, '..'), { recursive: true });
  cpSync(join(typedDefinitions(), `${TYPED_TEXT_ID}.yaml`), file);
  const running = ask(ROWS_PATH);
  await hangUp('the definitions were read again');
  expect(await offered()).toContain(TYPED_TEXT_ID);
  expect((await running).status).toBe(200);
  expect((await ask(ROWS_PATH)).status).toBe(200);
});

it('goes on with what it had where a definition has a fault, and says which', async () => {
  const before = await offered();
  writeFileSync(file, readFileSync(file, 'utf8').replace('type: decimal', 'type: money'));
  await hangUp('the new definitions were rejected');
  expect(logged()).toContain(`${TYPED_TEXT_ID}.yaml`);
  expect(await offered()).toEqual(before);
  expect((await ask(ROWS_PATH)).status).toBe(200);
});

it('ends by SIGTERM as ever after it was told to read them', async () => {
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
});
