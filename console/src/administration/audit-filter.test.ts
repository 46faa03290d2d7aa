import { describe, expect, it } from 'vitest';
import { auditParameters, readAuditFilter } from './audit-filter';

describe('the filter of the audit log', () => {
  it('takes from an address only what it knows and can use', () => {
    const search = { actor: 'person:1', operation: '', target: 7, from: '2026-02-31x', to: 'soon' };
    expect(readAuditFilter({ ...search, other: 'x' })).toEqual({ actor: 'person:1' });
  });

  it('asks for the newest first, and for the whole of the last day', () => {
    expect(auditParameters({ from: '2026-02-27', to: '2026-02-28' })).toEqual({
      newest_first: 'true',
      from: '2026-02-27',
      to: '2026-03-01',
    });
  });
});
