import { useQuery } from '@tanstack/react-query';
import type { AddedRules, AdministeredRule, BodyOf, DatasetRow } from '@ticklake/client';
import { Copy, Pencil, Trash2 } from 'lucide-react';
import { SCOPE_COLUMNS } from '../access/scope-columns';
import { postJson } from '../api/client';
import { answerQuery, catalogueQuery } from '../api/queries';
import { plural, ruleDatesText } from '../format/texts';
import { AddButton, Button } from '../ui/button';
import { CheckboxField } from '../ui/checkbox-field';
import { optionsOf } from '../ui/choice-group';
import { ComboboxField, MultiComboboxField } from '../ui/combobox-field';
import { DateField } from '../ui/date-field';
import { type Confirmation, confirmChange, Dialog } from '../ui/dialog';
import { useReopened } from '../ui/drafts';
import { TextAreaField } from '../ui/field';
import { Form, FormDialog } from '../ui/form';
import { closeDialog, showDialog } from '../ui/open-dialog';
import { Card, Query } from '../ui/page';
import { datasetColumn, Table, type TableColumn } from '../ui/table';
import { type FormField, useChangeForm } from '../ui/use-form';
import { PlanLink } from './names';
import { ACCOUNT_TOUCHES, accountsQuery, plansQuery } from './queries';
import {
  NEW_RULES,
  rulesBody,
  rulesProblems,
  termsBody,
  termsOf,
  termsProblems,
} from './rule-fields';
import styles from './rules-card.module.css';

interface RuleHolder {
  readonly noun: 'account' | 'plan';
  readonly path: string;
  readonly addPath: string;
  /** False for rules of its plan. */
  readonly isOwn: (rule: AdministeredRule) => boolean;
}

export function accountHolder(accountId: number): RuleHolder {
  const path = `/identities/${accountId}/data-access-rules`;
  const isOwn = (rule: AdministeredRule) => rule.identity_id === accountId;
  return { noun: 'account', path, addPath: `${path}/several`, isOwn };
}

export function planHolder(planId: number): RuleHolder {
  const path = `/plans/${planId}/data-access-rules`;
  return { noun: 'plan', path, addPath: path, isOwn: () => true };
}

interface HolderProps {
  holder: RuleHolder;
}

function addedText({ added, skipped_dataset_ids: skipped }: AddedRules): string {
  const text = `${plural(added.length, 'rule was', 'rules were')} added`;
  return skipped.length === 0
    ? text
    : `${text}; ${plural(skipped.length, 'dataset was', 'datasets were')} skipped`;
}

function SkipField({ holder, ...field }: { holder: RuleHolder } & FormField<boolean>) {
  const label = `Skip datasets that the ${holder.noun} already has a rule for`;
  return <CheckboxField label={label} {...field} />;
}

interface TermsProps {
  field: (
    name: 'start_date' | 'end_date' | 'universe_identifiers' | 'columns',
  ) => FormField<string>;
}

function TermsOfRule({ field }: TermsProps) {
  return (
    <>
      <div className={styles.window}>
        <DateField
          label="First trade date"
          description="Leave empty to start with the first date."
          {...field('start_date')}
        />
        <DateField
          label="Last trade date"
          description="Leave empty for no end date."
          {...field('end_date')}
        />
      </div>
      <TextAreaField
        label="Identifiers"
        placeholder="AAPL, MSFT"
        rows={3}
        description="Tickers, permanent IDs, futures base symbols or option underlyings. Leave empty for all."
        {...field('universe_identifiers')}
      />
      <TextAreaField
        label="Columns"
        placeholder="TradeDate, Ticker, ASID, ClosePrice"
        rows={2}
        description="With dates and identifiers. All others do not exist for the account. Leave empty for all."
        {...field('columns')}
      />
    </>
  );
}

function AddForm(props: HolderProps & { catalogue: readonly DatasetRow[] }) {
  const { holder, catalogue } = props;
  const form = useChangeForm({
    initial: NEW_RULES,
    problemsOf: rulesProblems,
    draft: holder.addPath,
    send: (fields) => postJson<AddedRules>(holder.addPath, rulesBody(fields)),
    touches: ACCOUNT_TOUCHES,
    done: addedText,
  });
  const { field } = form;
  const groups = [...new Set(catalogue.map(({ data_group }) => data_group))];
  return (
    <Form form={form} submitLabel="Add" onCancel={closeDialog}>
      <MultiComboboxField
        label="Datasets"
        options={catalogue.map(({ dataset_id: id, dataset_name: name }) => ({
          ...{ value: id, label: `${name} (${id})` },
        }))}
        placeholder="Name or ID"
        {...field('dataset_ids')}
      />
      <MultiComboboxField
        label="Groups"
        options={optionsOf(groups)}
        placeholder="All datasets of a group"
        {...field('groups')}
      />
      <TermsOfRule field={field} />
      <SkipField holder={holder} {...field('skip_overlapping')} />
    </Form>
  );
}

function AddRulesDialog(props: HolderProps) {
  return (
    <Dialog title="Add rules">
      <Query of={catalogueQuery} what="the catalogue">
        {(rows) => <AddForm {...props} catalogue={rows} />}
      </Query>
    </Dialog>
  );
}

/** The source is `identity:3` or `plan:2`; '' while none is chosen. */
const NEW_COPY = { source: '', skip_overlapping: true };

function copyBody({ source, skip_overlapping }: typeof NEW_COPY): BodyOf<'copyDataAccessRules'> {
  const [kind, id] = source.split(':');
  const from = kind === 'plan' ? { from_plan_id: Number(id) } : { from_identity_id: Number(id) };
  return { ...from, skip_overlapping };
}

function useSources() {
  const { data: accounts = [] } = useQuery(accountsQuery);
  const { data: plans = [] } = useQuery(plansQuery);
  const option = (value: string, label: string, hint: string) => ({ value, label, hint });
  return [
    ...plans.map(({ plan_id: id, name }) => option(`plan:${id}`, name, `Plan ${id}`)),
    ...accounts.map(({ identity_id: id, name }) => option(`identity:${id}`, name, `Account ${id}`)),
  ];
}

function CopyRulesDialog({ holder }: HolderProps) {
  const sources = useSources();
  const form = useChangeForm({
    initial: NEW_COPY,
    problemsOf: ({ source }) => ({ source: source === '' ? 'Choose an account or a plan' : '' }),
    send: (fields) => postJson<AddedRules>(`${holder.path}/copy`, copyBody(fields)),
    touches: ACCOUNT_TOUCHES,
    done: addedText,
  });
  const { errors, field } = form;
  return (
    <FormDialog title="Copy rules" form={form} submitLabel="Copy">
      <ComboboxField
        label="Copy from"
        options={sources}
        placeholder="Name of an account or a plan"
        empty="Nothing matches."
        description="Copies an account's own rules, not those of its plan."
        {...field('source')}
        error={errors.source || errors.from_identity_id || errors.from_plan_id}
      />
      <SkipField holder={holder} {...field('skip_overlapping')} />
    </FormDialog>
  );
}

function EditRuleDialog({ rule }: { rule: AdministeredRule }) {
  const form = useChangeForm({
    initial: termsOf(rule),
    problemsOf: termsProblems,
    send: (fields) =>
      postJson<AdministeredRule>(`/data-access-rules/${rule.rule_id}/update`, termsBody(fields)),
    touches: ACCOUNT_TOUCHES,
    done: `The rule for ${rule.dataset_name ?? rule.dataset_id} was changed`,
  });
  return (
    <FormDialog
      title="Edit the rule"
      description={`${rule.dataset_name ?? 'No longer in the catalogue'} (${rule.dataset_id})`}
      form={form}
      submitLabel="Save"
    >
      <TermsOfRule field={form.field} />
    </FormDialog>
  );
}

const WHO = { account: 'The account', plan: 'Every account with this plan' };

function deletion(rule: AdministeredRule, { noun }: RuleHolder): Confirmation {
  const name = rule.dataset_name ?? rule.dataset_id;
  return {
    title: 'Delete the rule?',
    description: `${WHO[noun]} loses the access that this rule gives to ${name}: ${ruleDatesText(rule.start_date, rule.end_date)}. You can add another rule later.`,
    confirmLabel: 'Delete',
    isDangerous: true,
    send: () => postJson(`/data-access-rules/${rule.rule_id}/delete`),
    touches: ACCOUNT_TOUCHES,
    done: `The rule for ${name} was deleted`,
  };
}

function RuleButtons({ rule, holder }: HolderProps & { rule: AdministeredRule }) {
  const what = `the rule for ${rule.dataset_id} from ${rule.start_date}`;
  return (
    <>
      <Button
        icon={Pencil}
        kind="quiet"
        aria-label={`Edit ${what}`}
        onClick={() => showDialog(<EditRuleDialog rule={rule} />)}
      />
      <Button
        icon={Trash2}
        kind="quiet"
        aria-label={`Delete ${what}`}
        onClick={() => confirmChange(deletion(rule, holder))}
      />
    </>
  );
}

/** An account's rules say where each comes from; those of its plan are changed there. */
function ruleColumns(holder: RuleHolder): readonly TableColumn<AdministeredRule>[] {
  const origin: TableColumn<AdministeredRule> = {
    header: 'Source',
    by: 'plan_id',
    cell: ({ plan_id: planId }) =>
      planId === null ? 'This account' : <PlanLink planId={planId} />,
  };
  return [
    datasetColumn(({ dataset_name: name }) => name ?? 'No longer in the catalogue'),
    ...SCOPE_COLUMNS,
    ...(holder.noun === 'account' ? [origin] : []),
    {
      header: 'Actions',
      isPinned: true,
      cell: (rule) => holder.isOwn(rule) && <RuleButtons rule={rule} holder={holder} />,
    },
  ];
}

export function RulesCard({ holder }: { holder: RuleHolder }) {
  const add = () => showDialog(<AddRulesDialog holder={holder} />);
  useReopened(holder.addPath, add);
  return (
    <Card title="Rules">
      <p>Each rule gives access to one dataset for a range of trade dates.</p>
      <div className={styles.acts}>
        <AddButton label="Add rules" onClick={add} />
        <Button icon={Copy} onClick={() => showDialog(<CopyRulesDialog holder={holder} />)}>
          Copy rules…
        </Button>
      </div>
      <Query of={answerQuery<readonly AdministeredRule[]>(holder.path)} what="rules">
        {(rows) => (
          <Table
            caption="Rules"
            columns={ruleColumns(holder)}
            rows={rows}
            rowKey={(rule) => rule.rule_id}
            empty={
              holder.noun === 'account'
                ? 'No rules yet. This account can’t read any data yet.'
                : 'No rules yet. This plan gives no access to data.'
            }
          />
        )}
      </Query>
    </Card>
  );
}
