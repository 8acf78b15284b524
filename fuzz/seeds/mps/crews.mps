* Crews of three kinds, general integers and a range. The cheapest is found by trying all of them.
NAME crews
ROWS
 N cost
 G hours
 G skills
 L beds
COLUMNS
 M1 'MARKER' 'INTORG'
 small cost 5 hours 2
 small skills 4 beds 1
 large cost 8.5 hours 3
 large skills 1 beds 2
 guest cost 3 hours 1
 guest skills 2 beds 3
 M2 'MARKER' 'INTEND'
RHS
 rhs hours 17 skills 11
 rhs beds 14
RANGES
 rng skills 9
BOUNDS
 UP b small 6
 UP b large 6
 UP b guest 6
ENDATA
