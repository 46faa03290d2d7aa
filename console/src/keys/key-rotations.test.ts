import type { ApiKey } from '@ticklake/client';
import { describe, expect, it } from 'vitest';
import { parseRotations, pendingRotations } from './key-rotations';

function key(key_id: number, status: ApiKey['status'] = 'active'): ApiKey {
  return {
    key_id,
    name: `key ${key_id}`,
    reference: 'abcd',
    created_at: '2026-11-21T10:00:00Z',
    expires_at: '2027-11-21T10:00:00Z',
    last_used_at: null,
    is_active: status !== 'deactivated',
    status,
  };
}

const ROTATIONS = [{ oldKeyId: 1, newKeyId: 2 }];

describe('remembered rotations', () => {
  it('are read back as they were written', () => {
    expect(parseRotations(JSON.stringify(ROTATIONS))).toEqual(ROTATIONS);
  });

  it.each([null, '', '{', '{"oldKeyId":1}', '[1,null,"a"]', '[{"oldKeyId":"1","newKeyId":2}]'])(
    'are none where %j was kept',
    (text) => {
      expect(parseRotations(text)).toEqual([]);
    },
  );
});

describe('a rotation', () => {
  it('is pending while the old key works', () => {
    const [pending] = pendingRotations(ROTATIONS, [key(1), key(2)]);
    expect(pending?.oldKey.key_id).toBe(1);
    expect(pending?.newKey.key_id).toBe(2);
  });

  it('is over when the old key is revoked, deactivated or expired', () => {
    expect(pendingRotations(ROTATIONS, [key(2)])).toEqual([]);
    expect(pendingRotations(ROTATIONS, [key(1, 'deactivated'), key(2)])).toEqual([]);
    expect(pendingRotations(ROTATIONS, [key(1, 'expired'), key(2)])).toEqual([]);
  });

  it('is void without the new key, and for accounts that have neither', () => {
    expect(pendingRotations(ROTATIONS, [key(1)])).toEqual([]);
    expect(pendingRotations(ROTATIONS, [key(7), key(8)])).toEqual([]);
  });
});
