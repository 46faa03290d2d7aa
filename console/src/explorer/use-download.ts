/** A download from its start to its file. */
import { useEffect, useRef, useState } from 'react';
import { getResponse } from '../api/client';
import { type Progress, START, walkPages } from './download';
import type { DownloadFormat } from './download-format';
import { type ExplorerRequest, requestPath } from './explorer-request';
import { type FileSink, openSink } from './file-sink';
import { VersionPin } from './pinned-version';

export type DownloadState =
  | { readonly phase: 'idle' }
  | { readonly phase: 'running'; readonly progress: Progress }
  | { readonly phase: 'failed'; readonly progress: Progress; readonly error: Error }
  | { readonly phase: 'done'; readonly progress: Progress; readonly name: string };

export interface DownloadOrder {
  readonly request: ExplorerRequest;
  readonly format: DownloadFormat;
  /** Of the file. */
  readonly name: string;
  readonly pageRows: number;
  /** Too much to be kept in memory if there is another way. */
  readonly isLarge: boolean;
}

interface Job {
  readonly order: DownloadOrder;
  readonly sink: FileSink;
  readonly name: string;
  readonly abort: AbortController;
  /** Also for a download that is gone on with. */
  readonly pin: VersionPin;
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

export function useDownload() {
  const [state, setState] = useState<DownloadState>({ phase: 'idle' });
  const job = useRef<Job | null>(null);

  const walk = async (current: Job, from: Progress) => {
    const { order, sink, abort, name, pin } = current;
    let reached = from;
    setState({ phase: 'running', progress: from });
    try {
      const progress = await walkPages(from, {
        fetchPage: async (offset, signal) => {
          const { request, format, pageRows } = order;
          const page = { response_format: format, offset, limit: pageRows };
          const response = await getResponse(requestPath(pin.apply(request), page), signal);
          pin.note(response);
          return response;
        },
        format: order.format,
        sink,
        signal: abort.signal,
        onProgress: (told) => {
          if (told.offset > reached.offset) reached = told;
          if (!abort.signal.aborted) setState({ phase: 'running', progress: told });
        },
        wait,
      });
      setState({ phase: 'done', progress, name });
      job.current = null;
    } catch (error) {
      if (abort.signal.aborted) return;
      setState({ phase: 'failed', progress: reached, error: error as Error });
    }
  };

  const cancel = () => {
    job.current?.abort.abort();
    void job.current?.sink.discard().catch(() => undefined);
    job.current = null;
    setState({ phase: 'idle' });
  };

  const start = async (order: DownloadOrder) => {
    const { name } = order;
    const sink = await openSink(name, order.format, order.isLarge);
    if (sink === null) return;
    job.current = { order, sink, name, abort: new AbortController(), pin: new VersionPin() };
    await walk(job.current, START);
  };

  const resume = () => {
    if (state.phase === 'failed' && job.current) void walk(job.current, state.progress);
  };

  // Whoever leaves the screen gives the download up.
  useEffect(
    () => () => {
      job.current?.abort.abort();
      void job.current?.sink.discard().catch(() => undefined);
    },
    [],
  );
  return { state, start: (order: DownloadOrder) => void start(order), cancel, resume };
}
