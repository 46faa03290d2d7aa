import { describe, expect, it } from 'vitest';
import {
  addRow,
  addressProblem,
  allowingSubnet,
  changeRow,
  draftOf,
  draftProblems,
  draftSubnets,
  isAllowed,
  isSameList,
  listedTexts,
  removeRow,
  subnetProblem,
} from './subnet-draft';

describe('a subnet as typed', () => {
  it.each(['10.0.0.0/8', '192.0.2.1', '::/0', '2001:db8::/32', '::ffff:192.0.2.0/120'])(
    'is right: %s',
    (text) => {
      expect(subnetProblem(text)).toBe('');
    },
  );

  it.each([
    ['10', /IPv4 or IPv6/],
    ['10.0.0', /IPv4 or IPv6/],
    ['010.0.0.0/8', /IPv4 or IPv6/],
    [' 10.0.0.0/8', /IPv4 or IPv6/],
    ['fe80::1%eth0', /IPv4 or IPv6/],
    ['10.0.0.0/', /from 0 to 32/],
    ['10.0.0.0/33', /from 0 to 32/],
    ['10.0.0.0/08', /from 0 to 32/],
    ['10.0.0.0/8/8', /from 0 to 32/],
    ['2001:db8::/129', /from 0 to 128/],
    ['10.1.0.0/8', /^10\.1\.0\.0\/8 is not a network address; did you mean 10\.0\.0\.0\/8\?$/],
    ['2001:db8::1/64', /is not a network address; did you mean 2001:db8::\/64\?$/],
    ['::ffff:10.1.2.3/64', /^Must be a subnet/],
  ])('is told what is wrong: %s', (text, problem) => {
    expect(subnetProblem(text)).toMatch(problem);
  });
});

describe('an address as typed', () => {
  it('is one without a prefix length', () => {
    expect(addressProblem('10.1.2.3')).toBe('');
    expect(addressProblem('2001:db8::1')).toBe('');
    expect(addressProblem('10.1.2.3/32')).not.toBe('');
    expect(addressProblem('')).not.toBe('');
  });
});

const STORED = ['10.0.0.0/8', '2001:db8::/32'];

describe('an allow-list that is edited', () => {
  it('is the stored one before anything is changed, and again when a change is taken back', () => {
    expect(isSameList(draftSubnets(draftOf(STORED)), STORED)).toBe(true);
    const added = addRow(draftOf(STORED));
    expect(draftSubnets(added)).toEqual(STORED);
    expect(removeRow(added, 2)).toMatchObject({ rows: draftOf(STORED).rows });
  });

  it('takes addresses alone and writes all subnets in their usual spelling', () => {
    const draft = changeRow(addRow(draftOf(STORED)), 2, ['2001:DB8:1::0']);
    expect(draftSubnets(draft).at(-1)).toBe('2001:db8:1::/128');
    expect(draftProblems(draft).size).toBe(0);
  });

  it('takes a pasted list into rows of their own, in place of the row it was pasted into', () => {
    const texts = listedTexts(' 192.0.2.0/24,\n198.51.100.0/24 ;203.0.113.7\n');
    const draft = changeRow(draftOf(STORED), 0, texts);
    expect(draft.rows.map(({ text }) => text)).toEqual([...texts, '2001:db8::/32']);
    expect(new Set(draft.rows.map(({ id }) => id)).size).toBe(4);
  });

  it('tells a wrong and a repeated entry at its row, and nothing of empty rows', () => {
    const draft = changeRow(addRow(addRow(draftOf(STORED))), 2, ['10.0.0.0/8', '10.0.0.1/8']);
    expect([...draftProblems(draft).keys()]).toEqual([2, 4]);
    expect(draftProblems(draft).get(2)).toContain('already');
  });
});

describe('an address', () => {
  it('is allowed by any list that is empty, and else by an entry', () => {
    expect(isAllowed([], '10.1.2.3')).toBe(true);
    expect(isAllowed(STORED, '10.1.2.3')).toBe(true);
    expect(isAllowed(STORED, '::ffff:10.1.2.3')).toBe(true);
    expect(isAllowed(STORED, '11.1.2.3')).toBe(false);
    expect(allowingSubnet(STORED, '2001:db8::7')).toBe('2001:db8::/32');
    expect(allowingSubnet([], '2001:db8::7')).toBeNull();
  });

  it('that is not known is let in by an empty list alone', () => {
    expect(isAllowed(STORED, '')).toBe(false);
    expect(isAllowed([], '')).toBe(true);
  });
});
