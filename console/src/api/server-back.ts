import { useEffect, useEffectEvent } from 'react';
import { clientState, connection, ServerUnreachable } from './client';

const ASK_AGAIN_MS = 2000;

/** Asks for what needs no session and is cheap. */
async function doesAnswer(): Promise<boolean> {
  const response = await fetch(`${clientState.apiPath}/status`).catch(() => null);
  return response?.ok ?? false;
}

/** While `isAway`: asks every two seconds, and calls `onBack` once when there is an answer. */
export function useServerBack(isAway: boolean, onBack: () => void): void {
  const back = useEffectEvent(onBack);
  useEffect(() => {
    if (!isAway) return;
    let isWaiting = true;
    const timer = setInterval(async () => {
      if (!(await doesAnswer()) || !isWaiting) return;
      isWaiting = false;
      clearInterval(timer);
      connection.set(true);
      back();
    }, ASK_AGAIN_MS);
    return () => {
      isWaiting = false;
      clearInterval(timer);
    };
  }, [isAway]);
}

/**
 * A part of the console that is loaded when it is needed. Where the server is away, that is what is
 * thrown, so that it is waited for; else the part itself is missing, as after an update.
 */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (await doesAnswer()) throw error;
    connection.set(false);
    throw new ServerUnreachable({ cause: error });
  }
}
