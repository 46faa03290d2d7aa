/** Where a dataset is asked for. */
import type { QueryForm } from '@ticklake/client';

/** Paths below the version prefix, the usual one first. */
export function requestPaths({
  group,
  segment,
  aliases,
  path_parameters: pathParameters,
}: Pick<QueryForm, 'group' | 'segment' | 'aliases' | 'path_parameters'>): readonly string[] {
  const segments = [...new Set([segment, ...aliases])];
  const places = pathParameters.map((name) => `{${name}}`);
  return segments.map((one) => ['/data', group, one, ...places].join('/'));
}

/** `adjusted=true&aggregation_logic=industry_std`; '' of the variant that needs no parameter. */
export function parametersText(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/** The dataset's operation in the reference of the interface. */
export function referenceLink(shape: Parameters<typeof requestPaths>[0]): string {
  const [usual = ''] = requestPaths(shape);
  return `/reference#${encodeURI(usual)}`;
}
