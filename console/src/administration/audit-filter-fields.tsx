import { Button } from '../ui/button';
import { ComboboxField } from '../ui/combobox-field';
import { DateField } from '../ui/date-field';
import { TextField } from '../ui/field';
import { Toolbar } from '../ui/toolbar';
import { useSearchText } from '../ui/use-search-text';
import type { AuditFilter, AuditFilterName } from './audit-filter';
import { AUDIT_OPERATIONS, operationLabel } from './audit-operations';

interface AuditFilterFieldsProps {
  filter: AuditFilter;
  onFilterChange: (filter: AuditFilter) => void;
}

const OPERATION_OPTIONS = AUDIT_OPERATIONS.map((name) => ({
  value: name,
  label: operationLabel(name),
}));

/** The filter with one field changed; an empty field is left out. */
function changed(filter: AuditFilter, name: AuditFilterName, value: string): AuditFilter {
  const { [name]: _, ...others } = filter;
  return value === '' ? others : { ...others, [name]: value };
}

/** The filter of the audit log. */
export function AuditFilterFields({ filter, onFilterChange }: AuditFilterFieldsProps) {
  const change = (name: AuditFilterName) => (value: string) =>
    onFilterChange(changed(filter, name, value.trim()));
  const [actor, setActor] = useSearchText(filter.actor ?? '', change('actor'));
  const [target, setTarget] = useSearchText(filter.target ?? '', change('target'));
  return (
    <Toolbar label="Filter the audit log">
      <TextField
        label="Who"
        name="actor"
        placeholder="E-mail, account or key"
        value={actor}
        onValueChange={setActor}
      />
      <ComboboxField
        label="Operation"
        name="operation"
        value={filter.operation ?? ''}
        options={OPERATION_OPTIONS}
        onValueChange={change('operation')}
        placeholder="All operations"
      />
      <TextField
        label="What was changed"
        name="target"
        placeholder="identity:3 or api_key:5"
        value={target}
        onValueChange={setTarget}
      />
      <DateField
        label="From (UTC)"
        name="from"
        value={filter.from ?? ''}
        onValueChange={change('from')}
      />
      <DateField
        label="Through (UTC)"
        name="to"
        value={filter.to ?? ''}
        onValueChange={change('to')}
      />
      {Object.keys(filter).length > 0 && (
        <Button onClick={() => onFilterChange({})}>Show all</Button>
      )}
    </Toolbar>
  );
}
