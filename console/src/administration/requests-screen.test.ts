import { describe, expect, it } from 'vitest';
import { elapsedText, matchingRequests, statusOptions } from './requests-screen';

const REQUESTS = [
  { identity_id: 1, identity_name: 'Owner' },
  { identity_id: 12, identity_name: 'Client One' },
  { identity_id: null, identity_name: null },
];

describe('the watched requests', () => {
  it('are found by the name of an account or its whole id', () => {
    expect(matchingRequests(REQUESTS, 'one')).toEqual([REQUESTS[1]]);
    expect(matchingRequests(REQUESTS, ' 1 ')).toEqual([REQUESTS[0]]);
    expect(matchingRequests(REQUESTS, '')).toEqual(REQUESTS);
  });

  it('offer the statuses that occur, and the chosen one', () => {
    const values = (chosen: string) =>
      statusOptions([{ status: 429 }, { status: 401 }, { status: 429 }], chosen).map(
        ({ value }) => value,
      );
    expect(values('')).toEqual(['', '401', '429']);
    expect(values('403')).toEqual(['', '401', '403', '429']);
  });

  it('tell how long they run', () => {
    expect([350, 2400, 185_000].map(elapsedText)).toEqual(['350 ms', '2.4 s', '3 min 5 s']);
  });
});
