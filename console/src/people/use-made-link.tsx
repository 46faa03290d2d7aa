import type { PersonLink } from '@ticklake/client';
import { useState } from 'react';
import { useToasts } from '../ui/toasts';
import { LinkDialog } from './link-dialog';

/** Shows a link that was made, or says that it was e-mailed. */
export function useMadeLink() {
  const toasts = useToasts();
  const [made, setMade] = useState<PersonLink | null>(null);
  const show = (link: PersonLink) => {
    if (!link.is_link_sent) setMade(link);
    else toasts.add({ title: `A link was e-mailed to ${link.email}` });
  };
  return { show, dialog: <LinkDialog made={made} onClose={() => setMade(null)} /> };
}
