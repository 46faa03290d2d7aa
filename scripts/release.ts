/**
 * Makes a release of what is committed: `npm run release` checks it, packs it into a new folder,
 * writes notes from the changelog and tags the commit; `--dry-run` does all but the tag. Nothing
 * leaves the machine: the last lines say how to publish.
 */
import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { buildConformanceKit } from '../conformance/build-package.ts';

const ROOT = join(import.meta.dirname, '..');

/** The files that name the version, each with the pattern before it. */
const VERSION_PLACES: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    globSync('*/package.json', { cwd: ROOT }).map((path) => [path, /^ {2}"version": "/m]),
  ),
  'package-lock.json': /"server": \{\s+"name": "ticklake",\s+"version": "/,
  'clients/python/pyproject.toml': /^version = "/m,
  'clients/python/src/ticklake/__init__.py': /^__version__ = "/m,
  'deploy/kubernetes/ticklake.yaml': /image: \S+\/ticklake:/,
};

/** The files above, by path. */
export function readPlaces(): Record<string, string> {
  const paths = Object.keys(VERSION_PLACES);
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
}

/** A line for each file that names another version, or none. */
export function versionProblems(version: string, places: Readonly<Record<string, string>>) {
  return Object.entries(VERSION_PLACES).flatMap(([path, before]) => {
    const pattern = new RegExp(`${before.source}([\\w.-]+)`, before.flags);
    const [, found = 'none'] = pattern.exec(places[path] ?? '') ?? [];
    return found === version ? [] : [`${path} has version ${found}, not ${version}`];
  });
}

/** The text of a heading's section; null without one. */
function sectionOf(changelog: string, name: string): string | null {
  const sections = changelog.split(/^## /m);
  const found = sections.find((text) => new RegExp(`^${RegExp.escape(name)}(?![\\w.])`).test(text));
  return found === undefined ? null : found.slice(found.indexOf('\n')).trim();
}

/** A line for each thing to be done about the changelog. */
export function changelogProblems(version: string, changelog: string): string[] {
  const isOpen = (sectionOf(changelog, 'Unreleased') ?? 'Nothing yet.') !== 'Nothing yet.';
  return [
    ...(isOpen ? [`CHANGELOG.md: move what is under Unreleased to ${version}`] : []),
    ...(sectionOf(changelog, version) ? [] : [`CHANGELOG.md has no section ${version}`]),
  ];
}

/** The notes of a release: its section, without links to files, which notes have no place for. */
export function releaseNotes(version: string, changelog: string): string {
  const section = sectionOf(changelog, version) ?? '';
  const text = section.replaceAll(/\[([^\]]*)\]\((?!https?:)[^)]*\)/g, '$1');
  return `# Ticklake ${version}\n\n${text}\n`;
}

const git = (...words: string[]) => execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' });

function stateProblems(version: string): string[] {
  const isClean = git('status', '--porcelain') === '';
  const isTagged = git('tag', '--list', `v${version}`) !== '';
  return [
    ...(isClean ? [] : ['the work tree has changes that are not committed']),
    ...(isTagged ? [`the tag v${version} is there already`] : []),
  ];
}

/** Fills a folder with the packages of program, kit and clients, notes and SHA-256 sums. */
function pack(folder: string, notes: string): void {
  const options: ExecFileSyncOptions = { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] };
  execFileSync('npm', ['run', 'build:package'], options);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  buildConformanceKit(join(ROOT, 'conformance/dist'));
  const built = ['./server/dist', './conformance/dist'];
  execFileSync('npm', ['pack', ...built, '--pack-destination', folder], options);
  cpSync(join(ROOT, 'console/dist/clients'), folder, { recursive: true });
  writeFileSync(join(folder, 'notes.md'), notes);
  const sums = readdirSync(folder).map((name) => {
    const hash = createHash('sha256').update(readFileSync(join(folder, name)));
    return `${hash.digest('hex')}  ${name}\n`;
  });
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
}

function release(isDryRun: boolean): void {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'server/package.json'), 'utf8'));
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  const problems = [
    ...versionProblems(version, readPlaces()),
    ...changelogProblems(version, changelog),
    ...stateProblems(version),
  ];
  if (problems.length > 0) {
    process.stderr.write(problems.map((line) => `${line}\n`).join(''));
    process.exitCode = 2;
    return;
  }
  const folder = join(ROOT, 'dist', `ticklake-${version}`);
  const notes = releaseNotes(version, changelog);
  pack(folder, notes);
  // Git takes headings for comments otherwise.
  const asItIs = '--cleanup=whitespace';
  if (!isDryRun) git('tag', '--annotate', asItIs, `v${version}`, '--message', notes);
  const tag = isDryRun ? 'Not tagged: this was a dry run.' : `Tagged v${version}. To publish it:`;
  const steps = [
    `git push origin v${version}`,
    `npm publish ${folder}/ticklake-${version}.tgz`,
    `npm publish ${folder}/ticklake-client-${version}.tgz --access public`,
    `npm publish ${folder}/ticklake-conformance-${version}.tgz`,
    `twine upload ${folder}/ticklake-${version}.tar.gz`,
  ];
  process.stdout.write([`${folder}:`, ...readdirSync(folder), tag].join('\n  '));
  process.stdout.write(`\n${isDryRun ? '' : steps.map((line) => `  ${line}\n`).join('')}`);
}

if (import.meta.main) release(process.argv.includes('--dry-run'));
