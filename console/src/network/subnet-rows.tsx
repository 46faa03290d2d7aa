import { Plus, X } from 'lucide-react';
import { type ClipboardEvent, useRef } from 'react';
import { intendedNetwork } from 'ticklake/access/subnet.ts';
import { Button } from '../ui/button';
import { TextField } from '../ui/field';
import {
  addRow,
  changeRow,
  type Draft,
  type DraftRow,
  draftProblems,
  listedTexts,
  removeRow,
} from './subnet-draft';
import styles from './subnet-rows.module.css';

interface SubnetRowProps {
  row: DraftRow;
  number: number;
  problem: string;
  onTexts: (texts: readonly string[]) => void;
  onRemove: () => void;
}

function SubnetRow({ row, number, problem, onTexts, onRemove }: SubnetRowProps) {
  const input = useRef<HTMLInputElement>(null);
  const pasteList = (event: ClipboardEvent) => {
    const texts = listedTexts(event.clipboardData.getData('text'));
    if (row.text !== '' || texts.length < 2) return;
    event.preventDefault();
    onTexts(texts);
  };
  const network = problem && intendedNetwork(row.text);
  const use = (subnet: string) => {
    input.current?.focus();
    onTexts([subnet]);
  };
  return (
    <li className={styles.row}>
      <TextField
        ref={input}
        label={`Subnet ${number}`}
        name={`subnet-${number}`}
        isLabelHidden
        placeholder="10.0.0.0/8"
        autoFocus={row.text === ''}
        value={row.text}
        onValueChange={(text) => onTexts([text.trim()])}
        onPaste={pasteList}
        error={problem}
        trailing={
          <Button
            icon={X}
            kind="quiet"
            aria-label={`Remove subnet ${number} ${row.text}`}
            onClick={onRemove}
          />
        }
      />
      {network && <Button onClick={() => use(network)}>Use {network}</Button>}
    </li>
  );
}

interface SubnetRowsProps {
  draft: Draft;
  onDraftChange: (draft: Draft) => void;
}

export function SubnetRows({ draft, onDraftChange }: SubnetRowsProps) {
  const addButton = useRef<HTMLButtonElement>(null);
  const problems = draftProblems(draft);
  const remove = (id: number) => {
    onDraftChange(removeRow(draft, id));
    addButton.current?.focus();
  };
  return (
    <>
      {draft.rows.length > 0 && (
        <ul className={styles.rows} aria-label="Allowed subnets">
          {draft.rows.map((row, at) => (
            <SubnetRow
              key={row.id}
              row={row}
              number={at + 1}
              problem={problems.get(row.id) ?? ''}
              onTexts={(texts) => onDraftChange(changeRow(draft, row.id, texts))}
              onRemove={() => remove(row.id)}
            />
          ))}
        </ul>
      )}
      <div>
        <Button icon={Plus} ref={addButton} onClick={() => onDraftChange(addRow(draft))}>
          Add subnet
        </Button>
      </div>
    </>
  );
}
