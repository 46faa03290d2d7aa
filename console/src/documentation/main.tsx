import { Autocomplete } from '@base-ui/react/autocomplete';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { SiteBar } from '../site/site-bar';
import { startPage } from '../site/start-page';
import fieldStyles from '../ui/field.module.css';
import styles from './documentation-search.module.css';
import { documentationQuery } from './load-search';
import { OwnDatasets } from './own-datasets';
import type { FoundSection } from './search-pages';
import './documentation.css';

const SHOWN_MS = 2000;

/** The address of a server with default settings, which the pages print. */
const PRINTED_ORIGIN = 'http://127.0.0.1:8080';

/** Lets examples name the server that the reader looks at. */
function nameThisServer(page: Document): void {
  for (const code of page.querySelectorAll('article code')) {
    code.textContent = code.textContent.replaceAll(PRINTED_ORIGIN, location.origin);
  }
}

/** Gives each block of code a button that copies it, where the browser has a clipboard. */
function addCopyButtons(page: Document): void {
  if (!navigator.clipboard) return;
  for (const block of page.querySelectorAll('article pre')) {
    const frame = page.createElement('div');
    frame.className = 'code';
    const button = page.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, SHOWN_MS);
    });
    block.replaceWith(frame);
    frame.append(block, button);
  }
}

function open({ href }: FoundSection): void {
  location.assign(href);
}

function Found({ title, heading, excerpt }: FoundSection) {
  return (
    <span>
      <strong>{heading}</strong>
      {heading !== title && <span className={styles.page}> {title}</span>}
      <span className={fieldStyles.hint}>{excerpt}</span>
    </span>
  );
}

/** The sections are loaded with the first word. */
function DocumentationSearch() {
  const [text, setText] = useState('');
  const [isWanted, setIsWanted] = useState(false);
  const search = useQuery({ ...documentationQuery, enabled: isWanted });
  const isAsked = text.trim() !== '';
  const found = useMemo(
    () => (isAsked ? (search.data?.(text) ?? []) : []),
    [text, isAsked, search.data],
  );
  return (
    <Autocomplete.Root
      items={found}
      value={text}
      onValueChange={(next, { reason }) => reason !== 'item-press' && setText(next)}
      itemToStringValue={(section: FoundSection) => section.heading}
      mode="none"
      autoHighlight
    >
      <Autocomplete.Input
        className={fieldStyles.input}
        type="search"
        aria-label="Search the documentation"
        placeholder="Search the documentation"
        autoComplete="off"
        spellCheck={false}
        onFocus={() => setIsWanted(true)}
      />
      <Autocomplete.Portal>
        <Autocomplete.Positioner sideOffset={4} className={styles.positioner}>
          <Autocomplete.Popup className={fieldStyles.popup} hidden={!isAsked}>
            <Autocomplete.Status className={styles.status}>
              {search.isError && 'Couldn’t load the search'}
              {isAsked && search.data && found.length === 0 && `Nothing found for “${text}”`}
            </Autocomplete.Status>
            <Autocomplete.List>
              {(section: FoundSection) => (
                <Autocomplete.Item
                  key={section.href}
                  value={section}
                  className={fieldStyles.item}
                  onClick={() => open(section)}
                >
                  <Found {...section} />
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Popup>
        </Autocomplete.Positioner>
      </Autocomplete.Portal>
    </Autocomplete.Root>
  );
}

/** The heading on the first page below which the reader's own datasets are listed. */
const OWN_DATASETS = 'see-what-you-may-read';

/** Shows the reader's own datasets at the end of their section. */
function showOwnDatasets(page: Document): void {
  let end = page.getElementById(OWN_DATASETS);
  if (end === null || location.pathname.replace(/\/$/, '') !== '/docs') return;
  while (end.nextElementSibling && end.nextElementSibling.tagName !== 'H2') {
    end = end.nextElementSibling as HTMLElement;
  }
  const place = page.createElement('div');
  place.id = 'own-datasets';
  end.after(place);
  startPage(place.id, (config) => config && <OwnDatasets />);
}

nameThisServer(document);
addCopyButtons(document);
showOwnDatasets(document);
startPage('bar', (config) => (
  <SiteBar config={config}>
    <DocumentationSearch />
  </SiteBar>
));
