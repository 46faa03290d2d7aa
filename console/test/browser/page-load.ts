/** Loads a page as its first visitor does, and counts bytes as they are sent. */
import type { Page } from 'playwright-core';
import { newContext, type TestedConsole } from './harness.ts';
import { waitUntilLoaded } from './screens.ts';

/** A slow connection and a slow processor. */
export interface Slowness {
  readonly bitsPerSecond: number;
  readonly latencyMs: number;
  /** So many times slower than this machine. */
  readonly processor: number;
}

export interface PageLoad {
  readonly requests: number;
  readonly scriptBytes: number;
  readonly bytes: number;
  /** When the largest text or picture stood there, after the page was asked for. */
  readonly largestPaintMs: number;
}

function largestPaint(): Promise<number> {
  return new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntries().at(-1)?.startTime ?? 0)).observe({
      type: 'largest-contentful-paint',
      buffered: true,
    });
  });
}

/** Opens a path of the server, signed in, in a browser that has loaded nothing yet. */
export async function loadPage(
  tested: TestedConsole,
  path: string,
  whenShown: (page: Page) => Promise<unknown>,
  slowness?: Slowness,
): Promise<PageLoad> {
  const context = await newContext({ viewport: { width: 1366, height: 768 } });
  const { cookie } = await tested.signIn(tested.owner);
  await context.addCookies([{ ...cookie, url: tested.url, httpOnly: true, sameSite: 'Strict' }]);
  const page = await context.newPage();
  const protocol = await context.newCDPSession(page);
  await protocol.send('Network.enable');
  const types = new Map<string, string>();
  let [scriptBytes, bytes] = [0, 0];
  protocol.on('Network.responseReceived', ({ requestId, type }) => types.set(requestId, type));
  protocol.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    bytes += encodedDataLength;
    if (types.get(requestId) === 'Script') scriptBytes += encodedDataLength;
  });
  if (slowness) {
    const { bitsPerSecond, latencyMs: latency, processor } = slowness;
    const throughput = bitsPerSecond / 8;
    await protocol.send('Network.emulateNetworkConditions', {
      ...{ offline: false, latency, downloadThroughput: throughput, uploadThroughput: throughput },
    });
    await protocol.send('Emulation.setCPUThrottlingRate', { rate: processor });
  }
  try {
    await page.goto(`${tested.url}${path}`);
    await whenShown(page);
    await waitUntilLoaded(page);
    const largestPaintMs = await page.evaluate(largestPaint);
    return { requests: types.size, scriptBytes, bytes, largestPaintMs };
  } finally {
    await context.close();
  }
}
