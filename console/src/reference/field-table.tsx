import { Table, type TableColumn } from '../ui/table';
import styles from './reference-page.module.css';

export interface DescribedField {
  readonly key: string;
  readonly name: string;
  /** Where it stands, for parameters. */
  readonly place?: string;
  readonly type: string;
  readonly legal: string;
  /** '' without one. */
  readonly usual?: string;
  readonly description: string;
  readonly isRequired: boolean;
}

function Name({ name, place, type, isRequired }: DescribedField) {
  return (
    <span className={styles.field}>
      <code>{name}</code>
      <span className={styles.type}>
        {[type, place].filter(Boolean).join(', ')}
        {isRequired && <span className={styles.required}> required</span>}
      </span>
    </span>
  );
}

function Meaning({ description, legal, usual = '' }: DescribedField) {
  return (
    <>
      {description}
      {legal !== '' && <span className={styles.legal}>{legal}</span>}
      {usual !== '' && <span className={styles.legal}>default: {usual}</span>}
    </>
  );
}

const COLUMNS: readonly TableColumn<DescribedField>[] = [
  { header: 'Name', isRowHeader: true, cell: (row) => <Name {...row} /> },
  { header: 'Meaning', isWrapped: true, cell: (row) => <Meaning {...row} /> },
];

/** Fields or parameters with what is legal. */
export function FieldTable(props: { caption: string; fields: readonly DescribedField[] }) {
  return (
    <Table
      caption={props.caption}
      columns={COLUMNS}
      rows={props.fields}
      rowKey={({ key }) => key}
      empty="None"
      isDense
    />
  );
}
