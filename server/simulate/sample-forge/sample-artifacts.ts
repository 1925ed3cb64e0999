import { crc32 } from 'node:zlib';
import { artifactReportOf } from './job-report.ts';
import type { JobPayload } from './sample-runs.ts';

/** The artifact with the report of a job, if it uploads it so. Its id is that of the job. */
export function artifactOf(job: JobPayload): { name: string; archive: Buffer } | undefined {
  const report = artifactReportOf(job);
  if (report === undefined) return undefined;
  const name = `junit-${report.job.replaceAll(/\W+/g, '-')}`;
  return { name, archive: zipOf([{ name: 'reports/junit.xml', content: Buffer.from(report.report) }]) };
}

export interface ArtifactFacts {
  id: number;
  name: string;
  size: number;
  createdAt: string;
  run: { id: number; headBranch: string | null; headSha: string };
}

/** An artifact as GitHub lists it. `url` is that of the repository in the API. */
export function artifactObject(url: string, { id, name, size, createdAt, run }: ArtifactFacts) {
  return {
    id,
    node_id: `artifact-${id}`,
    name,
    size_in_bytes: size,
    url: `${url}/actions/artifacts/${id}`,
    archive_download_url: `${url}/actions/artifacts/${id}/zip`,
    expired: false,
    created_at: createdAt,
    updated_at: createdAt,
    expires_at: new Date(Date.parse(createdAt) + 90 * 24 * 3_600_000).toISOString(),
    workflow_run: {
      id: run.id,
      repository_id: 1,
      head_repository_id: 1,
      head_branch: run.headBranch,
      head_sha: run.headSha,
    },
  };
}

/** A zip archive whose files are not compressed (APPNOTE 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16). */
export function zipOf(files: readonly { name: string; content: Buffer }[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content } of files) {
    const fileName = Buffer.from(name);
    // Version, flags, method, time, date, check sum, both sizes, length of the name.
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(0x0800, 2);
    shared.writeUInt32LE(crc32(content), 10);
    shared.writeUInt32LE(content.length, 14);
    shared.writeUInt32LE(content.length, 18);
    shared.writeUInt16LE(fileName.length, 22);
    locals.push(Buffer.from('PK\x03\x04', 'latin1'), shared, fileName, content);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), shared, rest, fileName);
    offset += 30 + fileName.length + content.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(size, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, ...directory, Buffer.from('PK\x05\x06', 'latin1'), end]);
}
