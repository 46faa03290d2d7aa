/** Keys being replaced: the browser remembers their ids alone, until the old one is revoked. */
import type { ApiKey } from '@ticklake/client';
import { useState } from 'react';

export interface Rotation {
  readonly oldKeyId: number;
  readonly newKeyId: number;
}

const STORAGE_KEY = 'ticklake-key-rotations';

function isRotation(value: unknown): value is Rotation {
  const { oldKeyId, newKeyId } = (value ?? {}) as Partial<Rotation>;
  return Number.isSafeInteger(oldKeyId) && Number.isSafeInteger(newKeyId);
}

/** Reads the remembered rotations and ignores anything else in the text. */
export function parseRotations(text: string | null): Rotation[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter(isRotation) : [];
  } catch {
    return [];
  }
}

export type PendingRotation = ReturnType<typeof pendingRotations>[number];

/** Rotations whose old key still works and whose new one is there. */
export function pendingRotations(rotations: readonly Rotation[], keys: readonly ApiKey[]) {
  return rotations.flatMap(({ oldKeyId, newKeyId }) => {
    const oldKey = keys.find(({ key_id }) => key_id === oldKeyId);
    const newKey = keys.find(({ key_id }) => key_id === newKeyId);
    return oldKey?.status === 'active' && newKey ? [{ oldKey, newKey }] : [];
  });
}

export function useRotations() {
  const [rotations, setRotations] = useState(() =>
    parseRotations(localStorage.getItem(STORAGE_KEY)),
  );
  const keep = (change: (rotations: readonly Rotation[]) => Rotation[]) => {
    // Another tab may have remembered more.
    const next = change(parseRotations(localStorage.getItem(STORAGE_KEY)));
    localStorage.setItem(STORAGE_KEY, JSON.stringify(next));
    setRotations(next);
  };
  const forget = (oldKeyId: number) =>
    keep((all) => all.filter((rotation) => rotation.oldKeyId !== oldKeyId));
  const remember = ({ oldKeyId, newKeyId }: Rotation) =>
    keep((all) => [
      ...all.filter((rotation) => rotation.oldKeyId !== oldKeyId),
      { oldKeyId, newKeyId },
    ]);
  return { rotations, remember, forget };
}
