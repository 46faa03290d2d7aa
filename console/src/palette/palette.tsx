import { Autocomplete } from '@base-ui/react/autocomplete';
import { useQuery } from '@tanstack/react-query';
import { type LinkProps, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { accountsQuery, peopleQuery } from '../administration/queries';
import { ApiFailure } from '../api/client';
import { catalogueQuery, ownCatalogueQuery } from '../api/queries';
import { documentationQuery } from '../documentation/load-search';
import { useFoundSecurities } from '../explorer/query-hooks';
import { firstDataset } from '../first-steps/first-snippet';
import { THEME_COMMANDS } from '../layout/theme-choice';
import { mayChange, useSession } from '../session/session';
import comboboxStyles from '../ui/combobox-field.module.css';
import { Dialog } from '../ui/dialog';
import { OptionText } from '../ui/field';
import fieldStyles from '../ui/field.module.css';
import { foundGroups, type PaletteGroup, type PaletteItem } from './found-items';
import styles from './palette.module.css';

interface PaletteProps {
  entries: readonly { readonly to: NonNullable<LinkProps['to']>; readonly label: string }[];
  signOut: () => void;
  onClose: () => void;
}

function usePages({ entries, signOut }: PaletteProps): readonly PaletteGroup[] {
  const navigate = useNavigate();
  const session = useSession();
  const screens = [...entries, { to: '/profile', label: 'Profile' }];
  const pages = screens.map(({ to, label }) => ({ label, run: () => void navigate({ to }) }));
  const newKey = {
    label: 'Generate an API key',
    run: () => void navigate({ to: '/keys', search: { new: true } }),
  };
  const commands = [
    ...(session.account && mayChange(session) ? [newKey] : []),
    ...THEME_COMMANDS,
    { label: 'Sign out', run: signOut },
  ];
  return [
    { kind: 'Pages', isFirst: true, items: pages },
    { kind: 'Commands', isFirst: true, items: commands },
  ];
}

/** A search is a request that the account's limits count. */
const SOUGHT_FROM = 2;

/** Datasets, and tickers that open as a chart of the first dataset that the account may read. */
function useData(text: string): readonly PaletteGroup[] {
  const navigate = useNavigate();
  const hasAccount = useSession().account !== null;
  const { data: datasets = [] } = useQuery({ ...catalogueQuery, enabled: hasAccount });
  const { data: own = [] } = useQuery({ ...ownCatalogueQuery, enabled: hasAccount });
  const [isSpent, setIsSpent] = useState(false);
  const term = text.trim();
  const isSought = hasAccount && !isSpent && term.length >= SOUGHT_FROM;
  const { securities, error } = useFoundSecurities(isSought ? term : '', true);
  // Charts need what is left of the minute.
  if (!isSpent && error instanceof ApiFailure && error.status === 429) setIsSpent(true);
  const dataset = firstDataset(own);
  const chart = (found: string, identifier: string) =>
    void navigate({
      to: '/explorer',
      search: { dataset: found, identifier, tab: 'chart', run: true },
    });
  return [
    {
      kind: 'Datasets',
      items: datasets.map(({ dataset_id: datasetId, dataset_name, dataset_text_id = '' }) => ({
        label: dataset_name,
        hint: `${datasetId} ${dataset_text_id}`,
        run: () => void navigate({ to: '/catalogue/$datasetId', params: { datasetId } }),
      })),
    },
    {
      kind: 'Tickers',
      isFound: true,
      items: securities.flatMap(({ ticker, name }) =>
        ticker === null || dataset === undefined
          ? []
          : [{ label: ticker, hint: name ?? '', run: () => chart(dataset, ticker) }],
      ),
    },
  ];
}

/** For owners alone. */
function usePeople(): readonly PaletteGroup[] {
  const navigate = useNavigate();
  const enabled = useSession().person.role === 'owner';
  const { data: accounts = [] } = useQuery({ ...accountsQuery, enabled });
  const { data: people = [] } = useQuery({ ...peopleQuery(null), enabled });
  return [
    {
      kind: 'Accounts',
      items: accounts.map(({ identity_id: id, name }) => ({
        label: name,
        hint: `Account ${id}`,
        run: () => void navigate({ to: '/accounts/$accountId', params: { accountId: String(id) } }),
      })),
    },
    {
      kind: 'People',
      items: people.map(({ email, role }) => ({
        label: email,
        hint: role,
        run: () => void navigate({ to: '/people', search: { q: email } }),
      })),
    },
  ];
}

function useDocumentation(text: string): PaletteGroup {
  const { data: search } = useQuery({ ...documentationQuery, enabled: text !== '' });
  const found = text === '' ? [] : (search?.(text) ?? []);
  const items = found.map(({ href, title, heading }) => ({
    label: heading,
    hint: title,
    run: () => location.assign(href),
  }));
  return { kind: 'Documentation', isFound: true, items };
}

/** Finds everything that has a name, by keyboard alone. */
export default function Palette(props: PaletteProps) {
  const [text, setText] = useState('');
  const pages = usePages(props);
  const data = useData(text);
  const people = usePeople();
  const documentation = useDocumentation(text);
  const groups = foundGroups([...pages, ...data, ...people, documentation], text);
  const choose = ({ run }: PaletteItem) => {
    props.onClose();
    run();
  };
  return (
    <Dialog title="Find" onClose={props.onClose}>
      <Autocomplete.Root
        open
        inline
        items={groups}
        value={text}
        onValueChange={(next, details) => {
          if (details.reason === 'input-change') setText(next);
          // A first Escape would empty the field.
          else details.cancel();
          details.allowPropagation();
        }}
        itemToStringValue={({ label }: PaletteItem) => label}
        mode="none"
        autoHighlight="always"
        keepHighlight
      >
        <Autocomplete.Input
          className={fieldStyles.input}
          aria-label="Dataset, ticker, person, page or command"
          placeholder="Dataset, ticker, person, page or command"
          autoComplete="off"
          spellCheck={false}
        />
        <Autocomplete.Status className={comboboxStyles.empty}>
          {groups.length === 0 && `Nothing is called “${text}”`}
        </Autocomplete.Status>
        <Autocomplete.List className={styles.list}>
          {(group: PaletteGroup) => (
            <Autocomplete.Group key={group.kind} items={[...group.items]}>
              <Autocomplete.GroupLabel className={styles.kind}>
                {group.kind}
              </Autocomplete.GroupLabel>
              <Autocomplete.Collection>
                {(item: PaletteItem, at: number) => (
                  <Autocomplete.Item
                    key={at}
                    value={item}
                    className={fieldStyles.item}
                    onClick={() => choose(item)}
                  >
                    <OptionText label={item.label} hint={item.hint} />
                  </Autocomplete.Item>
                )}
              </Autocomplete.Collection>
            </Autocomplete.Group>
          )}
        </Autocomplete.List>
      </Autocomplete.Root>
    </Dialog>
  );
}
