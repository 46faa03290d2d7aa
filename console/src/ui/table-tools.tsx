import { Menu } from '@base-ui/react/menu';
import { Columns3, Download } from 'lucide-react';
import { countText } from '../format/texts';
import styles from './action-menu.module.css';
import { Button } from './button';
import { saveCsv } from './save-file';
import { csvOf, type TableView, type ViewedColumn } from './table-view';

interface TableToolsProps {
  view: TableView;
  onView: (view: TableView) => void;
  caption: string;
  columns: readonly ViewedColumn<unknown>[];
  shown: readonly ViewedColumn<unknown>[];
  rows: readonly unknown[];
  isPart: boolean;
}

/** Chooses the columns of a table, and saves what it shows. */
export default function TableTools(props: TableToolsProps) {
  const { caption, columns, shown, rows, view, onView, isPart } = props;
  const choose = (header: string, isShown: boolean) => {
    const hidden = columns.filter((column) =>
      column.header === header ? !isShown : !shown.includes(column),
    );
    const hide = hidden.map((column) => column.header).join(',');
    const { hide: _, ...others } = view;
    onView(hide === '' ? others : { ...others, hide });
  };
  const save = () => saveCsv(csvOf(shown, rows), `${caption}.csv`);
  const isSaved = shown.some(({ by }) => by !== undefined);
  return (
    <>
      {isPart && (
        <p role="status">{`Of the first ${countText(rows.length)} rows, which are read`}</p>
      )}
      <Menu.Root>
        <Menu.Trigger render={<Button kind="quiet" icon={Columns3} />}>Columns</Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner sideOffset={4} align="end">
            <Menu.Popup className={styles.popup}>
              {columns
                .filter(({ isRowHeader, isPinned }) => !isRowHeader && !isPinned)
                .map((column) => (
                  <Menu.CheckboxItem
                    key={column.header}
                    className={styles.item}
                    checked={shown.includes(column)}
                    onCheckedChange={(isShown) => choose(column.header, isShown)}
                  >
                    <span className={styles.mark} aria-hidden>
                      {shown.includes(column) && '✓'}
                    </span>
                    {column.header}
                  </Menu.CheckboxItem>
                ))}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {isSaved && (
        <Button kind="quiet" icon={Download} onClick={save}>
          CSV
        </Button>
      )}
    </>
  );
}
