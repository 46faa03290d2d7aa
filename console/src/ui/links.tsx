import { createLink, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ButtonAnchor } from './button';

export const LinkButton = createLink(ButtonAnchor);

interface LinkProps<Id, Tab> {
  id: Id;
  tab?: Tab;
  className?: string | undefined;
  children: ReactNode;
}

export function AccountLink({ id, tab, children }: LinkProps<number, 'limits' | 'usage'>) {
  const params = { accountId: String(id) };
  return (
    <Link to="/accounts/$accountId" params={params} search={tab ? { tab } : {}}>
      {children}
    </Link>
  );
}

/** To the page of a dataset in the catalogue. */
export function DatasetLink({ id, tab, className, children }: LinkProps<string, 'coverage'>) {
  const params = { datasetId: id };
  return (
    <Link
      to="/catalogue/$datasetId"
      params={params}
      search={tab ? { tab } : {}}
      className={className}
    >
      {children}
    </Link>
  );
}
