import { useState } from 'react';
import { foundText } from '../format/amounts';
import { SearchField } from '../ui/field';
import { MethodName } from './method-name';
import { matchingOperations, type Operation } from './openapi';
import { groupedOperations } from './operation-groups';
import styles from './operation-list.module.css';

function Entry({ operation, isShown }: { operation: Operation; isShown: boolean }) {
  return (
    <li>
      <a href={`#${operation.id}`} aria-current={isShown ? 'page' : undefined}>
        <MethodName method={operation.method} />
        <span>{operation.summary}</span>
      </a>
    </li>
  );
}

interface OperationListProps {
  operations: readonly Operation[];
  shownId: string;
}

/** All operations in groups, narrowed by words. */
export function OperationList({ operations, shownId }: OperationListProps) {
  const [text, setText] = useState('');
  const found = matchingOperations(operations, text);
  return (
    <nav className={styles.list} aria-label="Operations">
      <SearchField
        label="Search operations"
        name="operations"
        placeholder="Name, path or word"
        value={text}
        onValueChange={setText}
      />
      <p role="status" className={styles.count}>
        {foundText(found.length, operations.length, 'operation')}
      </p>
      {groupedOperations(found).map((group) => (
        <section key={group.title} aria-label={group.title}>
          <h2>{group.title}</h2>
          <ul>
            {group.operations.map((operation) => (
              <Entry key={operation.id} operation={operation} isShown={operation.id === shownId} />
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}
