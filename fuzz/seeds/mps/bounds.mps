NAME every_bound
ROWS
 N cost
 G all
COLUMNS
 plain cost 1 all 1
 up cost 1 all 1
 lo cost 1 all 1
 fx cost 1 all 1
 fr cost 1 all 1
 mi cost 1 all 1
 mi_up cost 1 all 1
 pl cost 1 all 1
 both cost 1 all 1
 below cost 1 all 1
 big cost 1 all 1
 bv cost 1 all 1
 ui cost 1 all 1
 li cost 1 all 1
 m1 'MARKER' 'INTORG'
 i_plain cost 1 all 1
 i_up cost 1 all 1
 i_lo cost 1 all 1
 i_pl cost 1 all 1
 i_fr cost 1 all 1
 i_mi cost 1 all 1
 i_fx cost 1 all 1
 m2 'MARKER' 'INTEND'
RHS
 rhs all 1
BOUNDS
 UP bnd up 4.5
 LO bnd lo -2
 FX bnd fx 3
 FR bnd fr
 MI bnd mi
 MI bnd mi_up
 UP bnd mi_up -3
 PL bnd pl
 LO bnd both 1
 UP bnd both 2
 LO bnd below -9
 UP bnd below -4
 UP bnd big 1e30
 BV bnd bv
 UI bnd ui 7
 LI bnd li 2
 UP bnd i_up 9
 LO bnd i_lo 3
 PL bnd i_pl
 FR bnd i_fr
 MI bnd i_mi
 FX bnd i_fx 3
ENDATA
