/** The package in a real browser, on a page of another origin than the service's. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../console/test/browser/find-chromium.ts';
import { buildPackage } from '../build-package.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { haltRows, type ServedRows, serveRows } from './served-rows.ts';

const executablePath = findChromium();
const ROWS = 40;
const folder = mkdtempSync(join(tmpdir(), 'ticklake-browser-'));

/** A program for the page, as text: a function would be compiled for the test's own runtime. */
const programOf = (asked: { readonly url: string; readonly key: string }) => `(async () => {
  const { Ticklake, InvalidRequestError } = await import('/index.js');
  const halts = new Ticklake(${JSON.stringify({ ...asked, firstWaitMs: 1 })}).dataset('eq_trading_halts');
  const rows = await halts.read({ pageRows: 15 }).toArray({ limit: 99 });
  const [file] = (await halts.read().files()).files;
  const bytes = await new Response(file.stream()).arrayBuffer();
  const error = await halts.read({ where: { Nothing: 1 } }).toArray({ limit: 1 }).catch((each) => each);
  return {
    asids: rows.map(({ ASID }) => String(ASID)),
    isWhole: bytes.byteLength === file.byteCount,
    isRefused: error instanceof InvalidRequestError && error.requestId !== null,
  };
})()`;

describe.skipIf(executablePath === null)('in Chromium', () => {
  let pages: Server;
  let origin: string;
  let served: ServedRows;
  let proxy: FaultProxy;
  let browser: Browser;

  beforeAll(async () => {
    buildPackage(folder);
    pages = createServer(({ url = '' }, answer) => {
      const isProgram = url.endsWith('.js');
      answer.setHeader('content-type', isProgram ? 'text/javascript' : 'text/html');
      answer.end(isProgram ? readFileSync(join(folder, url)) : '<!doctype html>');
    }).listen(0, '127.0.0.1');
    await once(pages, 'listening');
    origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
    served = await serveRows(ROWS, { corsOrigins: [origin] });
    proxy = await startFaultProxy(served.url);
    browser = await chromium.launch({
      executablePath: executablePath as string,
      args: ['--no-sandbox'],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await proxy?.close();
    await served?.service.close();
    pages?.close();
    rmSync(folder, { recursive: true });
  });

  it('rows and files are exact, across pages and bodies that are cut off', async () => {
    const page = await browser.newPage();
    await page.goto(origin);
    proxy.among = 'GET /v1/files/';
    proxy.faults.push({ kind: 'cut', atByte: 700 });
    const read = await page.evaluate(programOf({ url: proxy.url, key: served.service.key }));
    expect(read).toEqual({
      asids: haltRows(ROWS).map((row) => String(row[3])),
      isWhole: true,
      isRefused: true,
    });
    const ranges = proxy.requests.map(({ headers }) => headers.range).filter(Boolean);
    expect(ranges).toEqual(['bytes=700-']);
  });
});
