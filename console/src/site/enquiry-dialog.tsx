import { useMutation } from '@tanstack/react-query';
import type { BodyOf, PublicDataset } from '@ticklake/client';
import { postJson } from '../api/client';
import { Button } from '../ui/button';
import { Dialog, DialogActions } from '../ui/dialog';
import { TextAreaField, TextField } from '../ui/field';
import styles from '../ui/form.module.css';
import { emailProblem, oneLine } from '../ui/input-problems';
import { Notice } from '../ui/page';
import { useForm } from '../ui/use-form';

export interface EnquiryProps {
  /** Absent: of no dataset in particular. */
  dataset?: PublicDataset;
  onClose: () => void;
}

/** Asks the owner for access, as somebody without an account. */
export default function EnquiryDialog({ dataset, onClose }: EnquiryProps) {
  const change = useMutation({
    mutationFn: ({ email, note }: { email: string; note: string }) => {
      const about = dataset ? { dataset_id: dataset.dataset_id } : {};
      const text = oneLine(note);
      const body: BodyOf<'sendEnquiry'> = {
        email: email.trim(),
        ...about,
        ...(text && { note: text }),
      };
      return postJson('/public/enquiries', body);
    },
  });
  const form = useForm({
    initial: { email: '', note: '' },
    problemsOf: ({ email }) => ({ email: emailProblem(email) }),
    change,
  });
  if (change.isSuccess) {
    const answer = `The owner of this service will answer to ${form.values.email.trim()}.`;
    return (
      <Dialog title="Your request was sent" description={answer} onClose={onClose}>
        <DialogActions>
          <Button kind="primary" onClick={onClose}>
            Close
          </Button>
        </DialogActions>
      </Dialog>
    );
  }
  return (
    <Dialog
      title={dataset ? `Ask for access to ${dataset.dataset_name}` : 'Ask for access'}
      description="The owner of this service reads this and answers by e-mail."
      onClose={onClose}
    >
      <form ref={form.formRef} className={styles.form} onSubmit={form.submit} noValidate>
        <TextField label="Your e-mail address" type="email" {...form.field('email')} />
        <TextAreaField label="What you need it for (optional)" {...form.field('note')} />
        {form.errors[''] && <Notice kind="danger">{form.errors['']}</Notice>}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={change.isPending}>
            Ask
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
