import { expect, it } from 'vitest';
import { Counter, Histogram, Reading } from './metric-text.ts';

it('writes a counter, of 0 from the start where it has no labels', () => {
  const plain = new Counter('a_total', 'A.');
  expect(plain.text()).toBe('# HELP a_total A.\n# TYPE a_total counter\na_total 0\n');
  const labelled = new Counter('b_total', 'B.', ['endpoint', 'status']);
  expect(labelled.text()).toBe('# HELP b_total B.\n# TYPE b_total counter\n');
  labelled.add(1, '/v1', '200');
  labelled.add(2, '/v1', '200');
  labelled.add(1, 'a"b\\c', '404');
  expect(labelled.text().split('\n').slice(2)).toEqual([
    'b_total{endpoint="/v1",status="200"} 3',
    'b_total{endpoint="a\\"b\\\\c",status="404"} 1',
    '',
  ]);
});

it('writes a histogram whose buckets hold all values up to their bound', () => {
  const histogram = new Histogram('h', 'H.', 'endpoint', [1, 2]);
  for (const value of [0.5, 1, 1.5, 99]) histogram.observe(value, 'e');
  expect(histogram.text().split('\n')).toEqual([
    '# HELP h H.',
    '# TYPE h histogram',
    'h_bucket{endpoint="e",le="1"} 2',
    'h_bucket{endpoint="e",le="2"} 3',
    'h_bucket{endpoint="e",le="+Inf"} 4',
    'h_sum{endpoint="e"} 102',
    'h_count{endpoint="e"} 4',
    '',
  ]);
});

it('writes what is measured at the moment', () => {
  let value = 1;
  const reading = new Reading('g', 'G.', () => [[value, { state: 'x' }]]);
  value = 2;
  expect(reading.text()).toBe('# HELP g G.\n# TYPE g gauge\ng{state="x"} 2\n');
});
