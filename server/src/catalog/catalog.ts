import type { Catalog, Dataset } from './dataset.ts';

/** The index of datasets whose ids, text ids and segments do not clash. */
export function makeCatalog(datasets: readonly Dataset[]): Catalog {
  const sorted = datasets.toSorted((a, b) => (a.datasetId < b.datasetId ? -1 : 1));
  const byId = new Map(sorted.map((dataset) => [dataset.datasetId, dataset]));
  const byTextId = new Map(sorted.map((dataset) => [dataset.textId, dataset]));
  const bySegment = Map.groupBy(sorted, (dataset) => `${dataset.group}/${dataset.segment}`);
  for (const variants of [...bySegment.values()]) {
    const { group, shortSegment } = variants[0] as Dataset;
    bySegment.set(`${group}/${shortSegment}`, variants);
  }
  return {
    datasets: sorted,
    byId: (datasetId) => byId.get(datasetId),
    byTextId: (textId) => byTextId.get(textId),
    bySegment: (group, segment) => bySegment.get(`${group}/${segment}`) ?? [],
  };
}
