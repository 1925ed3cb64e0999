import type { CDPSession, Page } from 'playwright-core';

/** The memory of a browser page after a collection. */
export interface PageMemory {
  /** JavaScript memory in use. */
  heapBytes: number;
  /** Nodes of the document that the browser keeps, also those that are not shown. */
  nodes: number;
}

export async function openInspector(page: Page): Promise<CDPSession> {
  const inspector = await page.context().newCDPSession(page);
  await inspector.send('HeapProfiler.enable');
  return inspector;
}

export async function readMemory(inspector: CDPSession): Promise<PageMemory> {
  await inspector.send('HeapProfiler.collectGarbage');
  const { usedSize } = await inspector.send('Runtime.getHeapUsage');
  const { nodes } = await inspector.send('Memory.getDOMCounters');
  return { heapBytes: usedSize, nodes };
}
