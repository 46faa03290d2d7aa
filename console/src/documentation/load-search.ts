import type { PageSection } from './search-pages';

async function loadSearch() {
  const [{ searchOf }, response] = await Promise.all([
    import('./search-pages'),
    fetch('/docs/search.json'),
  ]);
  if (!response.ok) throw new Error(`the search of the documentation is a ${response.status}`);
  return searchOf((await response.json()) as readonly PageSection[]);
}

/** The search of the documentation, which is loaded with the first word. */
export const documentationQuery = {
  queryKey: ['documentation'],
  queryFn: loadSearch,
  staleTime: Number.POSITIVE_INFINITY,
};
