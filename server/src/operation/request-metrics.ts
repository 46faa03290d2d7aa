/** Metrics of answered requests. Labels have few values: never a path or an account. */
import { Counter, Histogram, type Metric } from './metric-text.ts';

const DURATION_BOUNDS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

export class RequestMetrics {
  readonly requests = new Counter(
    'ticklake_requests_total',
    'Requests by endpoint and status; 499: the client went away.',
    ['endpoint', 'status'],
  );
  readonly durations = new Histogram(
    'ticklake_request_duration_seconds',
    'Time from the head of a request to the end of its answer.',
    'endpoint',
    DURATION_BOUNDS_SECONDS,
  );
  readonly returnedBytes = new Counter(
    'ticklake_returned_bytes_total',
    'Bytes of the bodies of answers.',
  );
  readonly rows = new Counter('ticklake_rows_total', 'Rows in answers.');
  readonly scannedBytes = new Counter(
    'ticklake_scanned_bytes_total',
    'Stored bytes that the queries had to read.',
  );
  readonly engineErrors = new Counter(
    'ticklake_engine_errors_total',
    'Queries that failed in the engine.',
  );

  all(): readonly Metric[] {
    return [
      this.requests,
      this.durations,
      this.returnedBytes,
      this.rows,
      this.scannedBytes,
      this.engineErrors,
    ];
  }
}
