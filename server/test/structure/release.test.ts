/** The refusals of `npm run release`, and its notes of a release. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  changelogProblems,
  readPlaces,
  releaseNotes,
  versionProblems,
} from '../../../scripts/release.ts';
import { SERVICE_VERSION } from '../../src/base/installation.ts';

const ROOT = join(import.meta.dirname, '../../..');
const CHANGELOG = `# Changelog

## Unreleased

Nothing yet.

## 0.2.0

- [One](docs/one.md) and [two](https://example.com).

## 0.1.0, the first release

- All.
`;

describe('this repository', () => {
  it('names one version everywhere', () => {
    expect(versionProblems(SERVICE_VERSION, readPlaces())).toEqual([]);
  });

  it('has notes that are read in two minutes', () => {
    const notes = releaseNotes(SERVICE_VERSION, readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'));
    expect(notes.split(/\s+/).length).toBeLessThanOrEqual(600);
  });

  it('has a section of that version in its changelog', () => {
    const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
    const problems = changelogProblems(SERVICE_VERSION, changelog);
    expect(problems.filter((line) => line.includes('no section'))).toEqual([]);
  });
});

it('a file with another version, or with none, is named', () => {
  const places = { ...readPlaces(), 'clients/python/pyproject.toml': 'version = "9.9.9"' };
  const others = { ...places, 'client/package.json': '{}' };
  expect(versionProblems(SERVICE_VERSION, others).sort()).toEqual([
    `client/package.json has version none, not ${SERVICE_VERSION}`,
    `clients/python/pyproject.toml has version 9.9.9, not ${SERVICE_VERSION}`,
  ]);
});

it('a changelog needs a section of exactly this version, and nothing unreleased', () => {
  expect(changelogProblems('0.2.0', CHANGELOG)).toEqual([]);
  expect(changelogProblems('0.2', CHANGELOG)).toEqual(['CHANGELOG.md has no section 0.2']);
  const open = CHANGELOG.replace('Nothing yet.', '- More.');
  expect(changelogProblems('0.1.0', open)).toEqual([
    'CHANGELOG.md: move what is under Unreleased to 0.1.0',
  ]);
});

it('notes are the section of the version, without links to files', () => {
  expect(releaseNotes('0.2.0', CHANGELOG)).toBe(
    '# Ticklake 0.2.0\n\n- One and [two](https://example.com).\n',
  );
  expect(releaseNotes('0.1.0', CHANGELOG)).toBe('# Ticklake 0.1.0\n\n- All.\n');
});
