import { Fragment, type ReactNode } from 'react';
import { Store } from '../api/store';

export const openDialog = new Store<ReactNode>(null);
let lastId = 0;

/** Shows a dialog over any screen, in place of the one that is open. */
export function showDialog(dialog: ReactNode): void {
  lastId += 1;
  openDialog.set(<Fragment key={lastId}>{dialog}</Fragment>);
}

export function closeDialog(): void {
  openDialog.set(null);
}

interface Place {
  readonly pathname: string;
  readonly search: object;
}

/** Screens show one tab at a time; other parts of the address leave what they show as it is. */
export function placeOf({ pathname, search }: Place): string {
  return `${pathname} ${'tab' in search ? search.tab : ''}`;
}
