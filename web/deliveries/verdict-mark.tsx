import Ban from 'lucide-react/icons/ban';
import CircleCheck from 'lucide-react/icons/circle-check';
import CircleDashed from 'lucide-react/icons/circle-dashed';
import CircleMinus from 'lucide-react/icons/circle-minus';
import CircleX from 'lucide-react/icons/circle-x';
import LoaderCircle from 'lucide-react/icons/loader-circle';
import RotateCw from 'lucide-react/icons/rotate-cw';
import SkipForward from 'lucide-react/icons/skip-forward';
import Trash2 from 'lucide-react/icons/trash-2';
import type { DeliveryVerdict } from '#contract/deliveries/deliveries.ts';
import { WordMark, type Mark } from '../ui/text/word-mark.tsx';

export const verdicts: Record<DeliveryVerdict, Mark> = {
  waiting: { word: 'Waiting', colour: 'text-waiting', Icon: CircleDashed },
  processing: { word: 'Processing', colour: 'text-running', Icon: LoaderCircle },
  stored: { word: 'Stored', colour: 'text-passed', Icon: CircleCheck },
  stale: { word: 'Stale', colour: 'text-idle', Icon: SkipForward },
  dead: { word: 'Dead', colour: 'text-failed', Icon: CircleX },
  redriven: { word: 'Retried', colour: 'text-idle', Icon: RotateCw },
  dropped: { word: 'Dropped', colour: 'text-idle', Icon: Trash2 },
  done: { word: 'Processed', colour: 'text-passed', Icon: CircleCheck },
  refused: { word: 'Refused', colour: 'text-failed', Icon: Ban },
  ignored: { word: 'Ignored', colour: 'text-idle', Icon: CircleMinus },
};

/** Whether the delivery was queued. Only then is its body stored. */
export function isQueued(verdict: DeliveryVerdict): boolean {
  return verdict !== 'refused' && verdict !== 'ignored';
}

/** The verdict of a delivery as icon, word and colour. */
export function VerdictMark({ verdict }: { verdict: DeliveryVerdict }) {
  return <WordMark mark={verdicts[verdict]} />;
}
