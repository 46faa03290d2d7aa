import { Store } from '../api/store';

interface News {
  readonly title: string;
  readonly description?: string;
}

/** Told, but not shown yet; null until there is something to tell. */
export const untold = new Store<readonly News[] | null>(null);

/** Says shortly on any screen what was done. */
export function tell(news: News): void {
  untold.set([...(untold.state() ?? []), news]);
}
