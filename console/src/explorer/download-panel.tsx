import { useBlocker } from '@tanstack/react-router';
import type { DataScan } from '@ticklake/client';
import { Download } from 'lucide-react';
import { useEffect, useState } from 'react';
import { mayHelpToRetry } from '../api/client';
import { useStore } from '../api/store';
import { bytesText, countText, plural } from '../format/texts';
import { tray } from '../layout/tray';
import { Button } from '../ui/button';
import { Notice, RetryButton } from '../ui/page';
import { SelectField } from '../ui/select-field';
import type { DatasetShape } from './dataset-shape';
import type { Progress } from './download';
import { DOWNLOAD_KINDS, type DownloadFormat, downloadName } from './download';
import type { ExplorerRequest } from './explorer-request';
import styles from './explorer-screen.module.css';
import {
  type Download as DownloadOf,
  downloads,
  endDownload,
  isLimited,
  isTrayFull,
  resumeDownload,
  startDownload,
} from './running-download';

const FORMATS = [
  { value: 'csv', label: 'CSV' },
  { value: 'csv_gzip', label: 'CSV, gzip' },
  { value: 'parquet', label: 'Parquet' },
  { value: 'arrow', label: 'Arrow' },
] as const;

/** More rows than these are written to the disk as they come, where the browser can do that. */
const ROWS_IN_MEMORY_MAX = 500_000;

function progressText({ rows, bytes, pause }: Progress): string {
  const amount = [...(rows === null ? [] : [plural(rows, 'row')]), bytesText(bytes)].join(', ');
  if (pause === null) return amount;
  return `${amount}. ${pause.reason.replace(/\.$/, '')}; trying again in ${pause.seconds} s`;
}

function ProgressBar({ progress, order: { name, rowCountMax } }: DownloadOf) {
  const { offset } = progress;
  const most = rowCountMax !== null && rowCountMax >= offset ? rowCountMax : null;
  const of = most === null ? '' : ` of at most ${plural(most, 'row')}`;
  return (
    <>
      <progress
        aria-label={`Download of ${name}`}
        {...(most !== null && offset > 0 && { max: most, value: offset })}
      />
      <span role="status">
        Downloading{of}: {progressText(progress)}
      </span>
    </>
  );
}

/** Stands on every screen: downloads go on while the person looks at other things. */
function DownloadNews() {
  const all = useStore(downloads);
  // Not beyond the session, which somebody else may follow.
  useEffect(() => () => endDownload(), []);
  const isUnfinished = all.some(({ phase }) => phase !== 'done');
  useBlocker({ shouldBlockFn: () => false, enableBeforeUnload: isUnfinished });
  if (all.length === 0) return null;
  return (
    <section aria-label="Downloads" className={styles.news}>
      {all.map((each) => (
        <DownloadStatus key={each.id} download={each} stopped={all.find(isLimited)} />
      ))}
    </section>
  );
}

interface StatusProps {
  download: DownloadOf;
  /** The one that met a limit, for which the others wait. */
  stopped: DownloadOf | undefined;
}

function DownloadStatus({ download, stopped }: StatusProps) {
  const { id, order, phase, progress, error } = download;
  const end = () => endDownload(id);
  if (phase === 'done') {
    const text = `${order.name} is complete: ${progressText(progress)}`;
    return (
      <Notice kind="good" onDismiss={end}>
        {text}
      </Notice>
    );
  }
  if (phase === 'failed') {
    return (
      <Notice kind="danger" title={`The download of ${order.name} stopped`}>
        <p>{error?.message}</p>
        <p>
          {plural(progress.offset, 'row')} received. The file appears when the download is complete.
        </p>
        <div className={styles.buttons}>
          {mayHelpToRetry(error) && (
            <RetryButton error={error} onRetry={() => resumeDownload(id)}>
              Resume from row {countText(progress.offset + 1)}
            </RetryButton>
          )}
          <Button onClick={end}>Discard</Button>
        </div>
      </Notice>
    );
  }
  return (
    <div className={styles.download}>
      {phase === 'running' ? (
        <ProgressBar {...download} />
      ) : (
        <span role="status">
          Waiting{stopped && `: a limit stopped ${stopped.order.name}. Resume or discard it`}
        </span>
      )}
      <span className={styles.file}>{order.name}</span>
      <Button aria-label={`Cancel the download of ${order.name}`} onClick={end}>
        Cancel
      </Button>
    </div>
  );
}

tray.set(DownloadNews);

interface DownloadPanelProps {
  request: ExplorerRequest;
  shape: DatasetShape;
  /** Null where it is not known. */
  scan: DataScan | null;
  check: () => boolean;
}

export function DownloadPanel({ request, shape, scan, check }: DownloadPanelProps) {
  const [format, setFormat] = useState<DownloadFormat>('csv');
  const isFull = isTrayFull(useStore(downloads));
  const order = () => {
    if (!check()) return;
    const { maximum } = shape.limits[format];
    const pageRows = Math.min(maximum, DOWNLOAD_KINDS[format].pageRowsMax ?? maximum);
    const name = downloadName(request, shape, format);
    const isLarge = scan === null || scan.rows_scanned > ROWS_IN_MEMORY_MAX;
    const rowCountMax = scan?.row_count_max ?? null;
    void startDownload({ request, format, name, pageRows, rowCountMax, isLarge });
  };
  return (
    <div className={styles.order}>
      <SelectField
        label="Download format"
        isLabelHidden
        name="format"
        value={format}
        options={FORMATS}
        onValueChange={setFormat}
      />
      <Button icon={Download} disabled={isFull} onClick={order}>
        Download
      </Button>
    </div>
  );
}
