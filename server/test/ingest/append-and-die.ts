/**
 * A process for tests: appends a file to an open publication and kills itself once the rows are
 * staged. Arguments: the home, the publication, the file.
 */
import { systemClock } from '../../src/base/clock.ts';
import type { Dataset } from '../../src/catalog/dataset.ts';
import { ingestFiles } from '../../src/ingest/ingest-files.ts';
import { INSTALLED_ENGINE, tryLockFile } from '../../src/installed.ts';
import { Lake } from '../../src/lake/lake.ts';
import { openHomeIndex } from '../../src/open-home.ts';
import { openCatalog } from '../../src/open-services.ts';

const [home = '', publicationId, file = ''] = process.argv.slice(2);
const index = openHomeIndex(home);
const stage = index.stage.bind(index);
index.stage = async (...change) => {
  await stage(...change);
  process.kill(process.pid, 'SIGKILL');
};
const lake = await Lake.open({
  ...{ home, index, clock: systemClock, actor: 'test' },
  storage: INSTALLED_ENGINE.openStorage({ home }, tryLockFile),
});
await ingestFiles({
  ...{ lake, dataset: openCatalog(home, null).byTextId('eq_taq') as Dataset, files: [file] },
  ...{ mode: 'append', into: Number(publicationId), maxBadRows: 0, vendor: null },
  signal: new AbortController().signal,
  onProgress: () => undefined,
});
