//! One list of tuple sizes for everything that is implemented for tuples.

/// Calls a macro once for each number of members from 1 to 15, with a type name and the position of each member.
macro_rules! all_tuples {
    ($each:ident) => {
        $each!(A 0);
        $each!(A 0 B 1);
        $each!(A 0 B 1 C 2);
        $each!(A 0 B 1 C 2 D 3);
        $each!(A 0 B 1 C 2 D 3 E 4);
        $each!(A 0 B 1 C 2 D 3 E 4 F 5);
        $each!(A 0 B 1 C 2 D 3 E 4 F 5 G 6);
        $each!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7);
        $each!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8);
        $each!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9);
        $each!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10);
        $each!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11);
        $each!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12);
        $each!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13);
        $each!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14);
    };
}
