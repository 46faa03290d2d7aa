import type { ComponentProps, ReactNode } from 'react';
import { Button } from './button';
import { Dialog, DialogActions } from './dialog';
import styles from './form.module.css';
import { LeaveGuard } from './leave-guard';
import { closeDialog } from './open-dialog';
import { Notice } from './page';
import type { FormState } from './use-form';

interface FormProps {
  form: FormState;
  submitLabel: string;
  isUnchanged?: boolean;
  onCancel?: () => void;
  children: ReactNode;
}

export function Form({ form, submitLabel, isUnchanged, onCancel, children }: FormProps) {
  const { errors, submit, formRef, isDirty, isBusy } = form;
  const isUnsent = isDirty && !isBusy;
  return (
    <form
      ref={formRef}
      className={styles.form}
      data-unsent={isUnsent || undefined}
      onSubmit={submit}
      noValidate
    >
      {children}
      <LeaveGuard isDirty={isUnsent} />
      {errors[''] && <Notice kind="danger">{errors['']}</Notice>}
      <DialogActions>
        {onCancel && <Button onClick={onCancel}>Cancel</Button>}
        <Button kind="primary" type="submit" isBusy={isBusy} disabled={isUnchanged}>
          {submitLabel}
        </Button>
      </DialogActions>
    </form>
  );
}

type FormDialogProps = Omit<FormProps, 'onCancel'> &
  Pick<ComponentProps<typeof Dialog>, 'title' | 'description' | 'isWide'> & { head?: ReactNode };

export function FormDialog({ title, description, isWide, head, ...form }: FormDialogProps) {
  return (
    <Dialog {...{ title, description }} isWide={isWide ?? false}>
      {head}
      <Form {...form} onCancel={closeDialog} />
    </Dialog>
  );
}
