/** What sorts the tables of a report, by a click on a head; without it they stay as they are. */
export const SORT_SCRIPT = `
for (const button of document.querySelectorAll('th button')) {
  button.addEventListener('click', () => {
    const head = button.closest('th');
    const row = head.parentElement;
    const at = [...row.children].indexOf(head);
    const isNumber = head.classList.contains('n');
    const was = head.getAttribute('aria-sort');
    const down = was ? was === 'ascending' : isNumber;
    for (const other of row.children) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const body = head.closest('table').tBodies[0];
    const key = (line) => isNumber ? Number(line.cells[at].dataset.n) : line.cells[at].textContent;
    const rows = [...body.rows].map((line) => [key(line), line]);
    rows.sort(([a], [b]) => (isNumber ? a - b : a < b ? -1 : a > b ? 1 : 0) * (down ? -1 : 1));
    body.append(...rows.map(([, line]) => line));
  });
}
`;
